package reference_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/reference"
	"github.com/outrank-go/outrank/internal/testdiff"
	_ "github.com/outrank-go/outrank/preemption/kube" // the JSON of the cluster
)

// recordedCase is a cluster with groups and a preemptor.
type recordedCase struct {
	ID         string                         `json:"id"`
	Nodes      []*outrank.Node                `json:"nodes"`
	Pods       []*outrank.Pod                 `json:"pods"`
	Budgets    []*outrank.PodDisruptionBudget `json:"pdbs"`
	Namespaces []*outrank.Namespace           `json:"namespaces"`
	Groups     []*outrank.PodGroup            `json:"podGroups"`
	Composites []*outrank.CompositePodGroup   `json:"compositePodGroups"`
	// Preemptor or Group is set, the latter to a key.
	Preemptor      *outrank.Pod `json:"preemptor"`
	PreemptorGroup outrank.Key  `json:"preemptorGroup"`
	Options        struct {
		Gates []string `json:"gates"`
	} `json:"options"`
}

func (c *recordedCase) cluster(t *testing.T) *outrank.Cluster {
	t.Helper()
	gates := map[string]bool{}
	for _, name := range c.Options.Gates {
		gates[name] = true
	}
	r, err := outrank.V1_37.With(gates)
	require.NoError(t, err, c.ID)
	return &outrank.Cluster{
		Release: r, Nodes: c.Nodes, Pods: c.Pods, Budgets: c.Budgets, Namespaces: c.Namespaces,
		Groups: c.Groups, Composites: c.Composites,
	}
}

// now is later than any time in the case.
func (c *recordedCase) now() time.Time {
	var t time.Time
	for _, p := range c.Pods {
		for _, u := range []time.Time{p.StartTime, p.DeletionTimestamp} {
			if u.After(t) {
				t = u
			}
		}
	}
	return t.Add(time.Second)
}

// recordedGroup is the real code's decision for a group.
type recordedGroup struct {
	Fits        bool
	Placed      map[string]string
	Code        string
	Reasons     []string
	Nominations map[string]string
	Units       [][]string
	Violations  int `json:"numPDBViolations"`
	Disruptions int `json:"numPodGroupDisruptions"`
	Preempted   []string
	// UnitsUnknown is set if all victims were leaving already, so that the units were not
	// seen.
	UnitsUnknown bool
	Cleared      []string `json:"clearedNominations"`
	// Alternatives were seen with the budgets in another order.
	Alternatives []*recordedGroup
}

// TestGroupsAsRecorded decides for every recorded group, and compares all of the
// decision: budgets count in the order of the document.
func TestGroupsAsRecorded(t *testing.T) {
	for _, profile := range []string{"basic", "pdb", "nominated", "affinity", "composite"} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			eachRecorded(t, "groups-"+profile, func(c *recordedCase, decision []byte) {
				var want struct{ Group recordedGroup }
				require.NoError(t, json.Unmarshal(decision, &want), c.ID)
				got := decideRecorded(c, c.cluster(t))
				if want.Group.UnitsUnknown {
					got.Units, got.Violations, got.Disruptions = nil, 0, 0
					want.Group.Units, want.Group.Violations, want.Group.Disruptions = nil, 0, 0
				}
				if diff := differsFromAll(&want.Group, got); diff != "" {
					t.Errorf("%s (-recorded +reference):\n%s", c.ID, diff)
				}
			})
		})
	}
}

// differsFromAll is empty if the decision is the recorded one or an alternative.
func differsFromAll(want, got *recordedGroup) string {
	for _, other := range want.Alternatives {
		other.Fits, other.Placed = want.Fits, want.Placed
		if cmp.Equal(other, got, cmpopts.EquateEmpty()) {
			return ""
		}
	}
	same := *want
	same.UnitsUnknown, same.Alternatives = false, nil
	return testdiff.Diff(&same, got, cmpopts.EquateEmpty())
}

func decideRecorded(c *recordedCase, cluster *outrank.Cluster) *recordedGroup {
	in := reference.GroupInput{Cluster: cluster, Now: c.now()}
	for _, p := range c.Pods {
		if p.NodeName == "" && p.GroupKey() == c.PreemptorGroup {
			in.Pods = append(in.Pods, p)
		}
	}
	d := reference.DecideGroup(in)
	got := &recordedGroup{
		Fits: d.Fit.Code == reference.Success, Code: d.Status.Code.String(), Reasons: d.Status.Reasons,
		Nominations: d.Nominations, Violations: d.Violations, Disruptions: d.Disruptions,
	}
	if got.Fits {
		got.Placed = d.Placement
	}
	for _, u := range d.Victims {
		names := keys(u.Pods)
		slices.Sort(names)
		got.Units = append(got.Units, names)
		for _, p := range u.Pods {
			if !p.Terminating() {
				got.Preempted = append(got.Preempted, string(p.Key()))
			}
		}
	}
	slices.Sort(got.Preempted)
	return got
}

func keys(pods []*outrank.Pod) []string {
	var names []string
	for _, p := range pods {
		names = append(names, string(p.Key()))
	}
	return names
}

// eachRecorded goes through the cases of a profile with their decisions.
func eachRecorded(t *testing.T, profile string, each func(c *recordedCase, decision []byte)) {
	t.Helper()
	dir := "../../examples/replay/testdata/"
	cases, decisions := linesOf(t, dir+profile+".cases.jsonl.gz"), linesOf(t, dir+profile+".v1.37.decisions.jsonl.gz")
	require.NotEmpty(t, cases)
	require.Len(t, decisions, len(cases))
	for i := range cases {
		var c recordedCase
		require.NoError(t, json.Unmarshal(cases[i], &c))
		each(&c, decisions[i])
	}
}

func linesOf(t *testing.T, name string) [][]byte {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var all [][]byte
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		all = append(all, bytes.Clone(s.Bytes()))
	}
	require.NoError(t, s.Err())
	return all
}

// recordedPod is the real code's decision for a single pod.
type recordedPod struct {
	Filter          map[string]recordedStatus
	Feasible        []string
	Eligible        bool
	EligibleMessage string
	Candidates      []recordedCandidate
	NonCandidates   map[string]recordedStatus
	Best            []string
	BestUnion       []string
	PostFilter      struct {
		NominatedNode *string
		Preempted     []string
		Cleared       []string `json:"clearedNominations"`
	}
	Ambiguous map[string]any
}

type recordedStatus struct {
	Code, Plugin string
	Reasons      []string
}

type recordedCandidate struct {
	Node       string
	Victims    []string
	Violations int `json:"numPDBViolations"`
}

// TestUnitsAsRecorded decides for single pods beside groups that leave as wholes.
func TestUnitsAsRecorded(t *testing.T) {
	random := 0
	eachRecorded(t, "groups-pod", func(c *recordedCase, decision []byte) {
		var record struct{ Scheduler recordedPod }
		require.NoError(t, json.Unmarshal(decision, &record), c.ID)
		want := &record.Scheduler
		require.Empty(t, want.Ambiguous, c.ID)
		for _, statuses := range []map[string]recordedStatus{want.Filter, want.NonCandidates} {
			for _, s := range statuses {
				slices.Sort(s.Reasons)
			}
		}
		cluster := c.cluster(t)
		d := reference.Decide(reference.Input{Cluster: cluster, Pod: c.Preemptor, Now: c.now()})
		got := &recordedPod{
			Filter: recordedStatuses(d.Filter), Feasible: d.Feasible, Eligible: d.Eligible, EligibleMessage: d.EligibleMessage,
			NonCandidates: recordedStatuses(d.NonCandidates),
		}
		for _, k := range d.Candidates {
			got.Candidates = append(got.Candidates, recordedCandidate{k.Node, unitsByName(cluster, k.Victims), k.Violations})
		}
		got.Best, got.BestUnion, got.PostFilter = want.Best, want.BestUnion, want.PostFilter
		if diff := testdiff.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-recorded +reference):\n%s", c.ID, diff)
		}
		// The ranks look at the first victim, which is any pod of the first unit in the
		// real code: where its pods differ in priority, the best node is a random one.
		switch best := slices.Concat(want.Best, want.BestUnion); {
		case slices.ContainsFunc(d.Candidates, func(k reference.Candidate) bool { return firstIsRandom(cluster, k.Victims) }):
			random++
		case len(best) > 0 && !slices.Contains(best, d.Best) || len(best) == 0 && d.Best != "":
			t.Errorf("%s: best is %q, and none of %q", c.ID, d.Best, best)
		}
		if node := want.PostFilter.NominatedNode; node != nil && *node == d.Best {
			require.ElementsMatch(t, want.PostFilter.Cleared, d.ClearedNominations, c.ID)
		}
	})
	require.Less(t, random, 30)
}

func recordedStatuses(statuses map[string]reference.Status) map[string]recordedStatus {
	all := map[string]recordedStatus{}
	for node, s := range statuses {
		slices.Sort(s.Reasons)
		all[node] = recordedStatus{s.Code.String(), s.Plugin, s.Reasons}
	}
	return all
}

// unitsByName names the victims, those of a group that leaves whole sorted.
func unitsByName(c *outrank.Cluster, victims []*outrank.Pod) []string {
	var all []string
	for len(victims) > 0 {
		size := sizeOfUnit(c, victims)
		names := keys(victims[:size])
		slices.Sort(names)
		all, victims = append(all, names...), victims[size:]
	}
	return all
}

// firstIsRandom: the pods of the first unit have several priorities.
func firstIsRandom(c *outrank.Cluster, victims []*outrank.Pod) bool {
	return slices.ContainsFunc(victims[:sizeOfUnit(c, victims)], func(p *outrank.Pod) bool {
		return p.PriorityValue() != victims[0].PriorityValue()
	})
}

// sizeOfUnit is the number of pods that leave together with the first.
func sizeOfUnit(c *outrank.Cluster, pods []*outrank.Pod) int {
	for _, g := range c.Groups {
		if g.Key() == pods[0].GroupKey() && g.DisruptionMode == outrank.DisruptPodGroup {
			other := slices.IndexFunc(pods, func(p *outrank.Pod) bool { return p.GroupKey() != g.Key() })
			if other < 0 {
				return len(pods)
			}
			return other
		}
	}
	return 1
}
