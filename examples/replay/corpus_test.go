package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// recorded is a decision of the real code, v1.36.3 or v1.37.1, with the certainty
// of the answer.
type recorded struct {
	Decision
	Scheduler *recordedScheduler `json:"scheduler"`
	Kubelet   *recordedKubelet   `json:"kubelet"`
	Group     *recordedGroup     `json:"group"`
}

type recordedGroup struct {
	Group
	// UnitsUnknown is set if all victims were on their way out, so that the units were not
	// seen.
	UnitsUnknown bool `json:"unitsUnknown"`
	// Alternatives are further observed answers, with budgets in another order.
	Alternatives []*recordedGroup `json:"alternatives"`
}

type recordedScheduler struct {
	Scheduler
	// bestIsRandom is set where the reference ranks by the first victim, which is any
	// pod of the first unit, and those of some candidate have different priorities.
	bestIsRandom bool
	Best         []string                `json:"best"`
	BestUnion    []string                `json:"bestUnion"`
	Ambiguous    map[string]ambiguity    `json:"ambiguous"`
	Alternatives map[string][]*Candidate `json:"alternatives"`
	SampledBest  []string                `json:"sampledBest"`
	// Canonical is the answer where pods stand in this project's order.
	Canonical *struct {
		Candidates []Candidate `json:"candidates"`
		Best       []string    `json:"best"`
		Unsure     []string    `json:"unsure"`
	} `json:"canonical"`
}

// ambiguity is why the answer of a node rests on something that no object tells.
type ambiguity struct {
	// UnstableSort is set if several pods tie among so many that the real sort exchanges
	// them.
	UnstableSort bool `json:"unstableSort"`
}

type recordedKubelet struct {
	Kubelet
	RequirementOrderRandom bool `json:"requirementOrderRandom"`
}

var profiles = []string{
	"basic", "pdb", "filters", "nominated", "affinity", "kubelet", "util",
	"gaps", "wide", "kubewide", "sample", "releases",
}

// TestRecordedDecisions replays cases of every profile and compares the answers with the real
// code's decisions: those of v1.36, and those of v1.37 where the profile was recorded of that
// release, too.
func TestRecordedDecisions(t *testing.T) {
	of := []string{"basic", "pdb", "filters", "nominated", "affinity", "util", "wide", "kubewide", "releases"}
	for _, profile := range profiles {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			records := []record{{"", outrank.V1_36}}
			if slices.Contains(of, profile) {
				records = append(records, v1_37)
			}
			compareRecorded(t, profile, records...)
		})
	}
}

var groupProfiles = []string{"groups-basic", "groups-pdb", "groups-nominated", "groups-affinity", "groups-composite"}

// TestRecordedDecisionsOfV1_37 is the same for the profiles that were recorded of that
// release alone.
func TestRecordedDecisionsOfV1_37(t *testing.T) {
	for _, profile := range append([]string{"groups-pod"}, groupProfiles...) {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			compareRecorded(t, profile, v1_37)
		})
	}
}

// TestRecordedDeferredResizes is the same for pods whose resize is deferred, with the
// gate that lets them preempt.
func TestRecordedDeferredResizes(t *testing.T) {
	r, err := outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true})
	require.NoError(t, err)
	compareRecorded(t, "deferred", record{".v1.37", r})
}

// record tells the decisions of a release from others of the same cases.
type record struct {
	suffix  string
	release outrank.Release
}

var v1_37 = record{".v1.37", outrank.V1_37}

// some is the step from one case of a profile to the next that a test takes: one in eight where there are
// many, and all of them with -every 1.
func some(cases int) (step int) {
	if *every > 1 && cases > 80 {
		return 8
	}
	return 1
}

// compareRecorded compares the answers with the decisions. A case is read once for all of them.
func compareRecorded(t *testing.T, profile string, of ...record) {
	cases := lines(t, "testdata/"+profile+".cases.jsonl.gz")
	require.NotEmpty(t, cases)
	decisions := make([][][]byte, len(of))
	for r := range of {
		decisions[r] = lines(t, "testdata/"+profile+of[r].suffix+".decisions.jsonl.gz")
		require.Len(t, decisions[r], len(cases))
	}
	for i := 0; i < len(cases); i += some(len(cases)) {
		var read Case
		unread := read.UnmarshalJSON(cases[i])
		for r := range of {
			var want recorded
			require.NoError(t, json.Unmarshal(decisions[r][i], &want))
			by := rules{release: of[r].release}
			var got Decision
			if s := read.Storage; unread != nil || len(s.Volumes)+len(s.Classes)+len(s.Claims)+len(s.CSINodes) > 0 {
				got = decide(cases[i], by) // which fills in fields of the pods
			} else {
				c := read
				c.Release = of[r].release
				got = c.answer(by)
			}
			if want.Scheduler != nil && unread == nil {
				want.Scheduler.bestIsRandom = bestIsRandom(&read, got.Scheduler)
			}
			for _, difference := range compare(&want, &got) {
				t.Errorf("%v, %s: %s", of[r].release, want.ID, difference)
			}
		}
	}
}

// bestIsRandom looks at the first unit of each candidate.
func bestIsRandom(c *Case, got *Scheduler) bool {
	pods, whole := map[string]*outrank.Pod{}, map[outrank.Key]bool{}
	for _, p := range c.Pods {
		pods[string(p.Key())] = p
	}
	for _, g := range c.Groups {
		whole[g.Key()] = g.DisruptionMode == outrank.DisruptPodGroup
	}
	for i := 0; len(whole) > 0 && got != nil && i < len(got.Candidates); i++ {
		victims := got.Candidates[i].Victims
		first := pods[victims[0]]
		for _, name := range victims {
			if p := pods[name]; whole[p.GroupKey()] && p.GroupKey() == first.GroupKey() && p.PriorityValue() != first.PriorityValue() {
				return true
			}
		}
	}
	return false
}

func lines(t *testing.T, name string) [][]byte {
	t.Helper()
	in, done, err := open(name, nil)
	require.NoError(t, err)
	defer done()
	var out [][]byte
	s := bufio.NewScanner(in)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		out = append(out, bytes.Clone(s.Bytes()))
	}
	require.NoError(t, s.Err())
	return out
}
