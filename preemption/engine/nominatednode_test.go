package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// Whichever node the pod is nominated to, that node is the only one where Explain says that it takes
// the pod (rule 7.15.5); where it does not, the nodes are those to which Explain gives the status Success.
func TestPropertyFeasibleOfANominatedPod(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		snap, e := newSnapshot(t, c), newEvaluator(t, preemption.Config{})
		for _, n := range c.Nodes[:min(len(c.Nodes), 4)] {
			pod := *p
			pod.NominatedNodeName = n.Name
			unknown := snap.Clone()
			_ = unknown.RemovePod(pod.Key())
			snaps := []*engine.Snapshot{unknown}
			if pod.NodeName == "" { // else it is a wish, which a pending pod of a snapshot has not
				known := snap.Clone()
				require.NoError(t, errOf(known.PutPod(&pod)))
				require.NoError(t, known.Nominate(pod.Key(), n.Name))
				snaps = append(snaps, known)
			}
			for _, s := range snaps {
				explained, err := e.Explain(context.Background(), s, preemption.Request{Pod: &pod, Now: gen.Now})
				require.NoError(t, err)
				var takes []string
				for _, report := range explained.Nodes {
					if report.Status.Code == preemption.Success {
						takes = append(takes, report.Node)
					}
				}
				if slices.Contains(takes, n.Name) {
					takes = []string{n.Name}
				}
				assert.Equal(t, takes, feasible(t, e, s, &pod))
			}
		}
	})
}

// feasible names the nodes that take a pod.
func feasible(t fataler, e *engine.Evaluator, snap *engine.Snapshot, pod *outrank.Pod) (names []string) {
	nodes, err := e.Feasible(context.Background(), snap, pod)
	require.NoError(t, err)
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return names
}

// nominatedFirst is what Feasible leaves of the nodes that take a pod.
func nominatedFirst(snap *engine.Snapshot, pod *outrank.Pod, takes []string) []string {
	wish := pod.NominatedNodeName
	if _, known := snap.Pod(pod.Key()); known {
		wish = snap.NominationOf(pod.Key())
	}
	if slices.Contains(takes, wish) {
		return []string{wish}
	}
	return takes
}

func TestFeasibleOfANominatedPod(t *testing.T) {
	small := func(name string) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "1", "pods", "10")}
	}
	asks := func(cpu, nominated string) *outrank.Pod {
		return &outrank.Pod{Name: "p", NominatedNodeName: nominated, Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}}
	}
	full := &outrank.Pod{Name: "fills", NodeName: "c", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
	snap := newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{small("a"), small("b"), small("c")}, Pods: []*outrank.Pod{{Name: "runs", NodeName: "a"}, full}})
	moved := snap.Clone()
	require.NoError(t, errOf(moved.PutPod(asks("1", "b"))))
	require.NoError(t, moved.Nominate("default/p", "a"))
	for _, test := range []struct {
		name string
		snap *engine.Snapshot
		pod  *outrank.Pod
		want []string
	}{
		{"it takes the pod", snap, asks("1", "b"), []string{"b"}},
		{"it does not", snap, asks("1", "c"), []string{"a", "b"}},
		{"nor does any other", snap, asks("2", "b"), nil},
		{"no nomination", snap, asks("1", ""), []string{"a", "b"}},
		{"no such node", snap, asks("1", "d"), []string{"a", "b"}},
		{"the snapshot knows better", moved, asks("1", "b"), []string{"a"}},
		{"a conflict before any node is asked", snap, &outrank.Pod{
			Name: "p", NominatedNodeName: "b", Volumes: []outrank.Volume{{Claim: "data", State: outrank.ClaimLost}},
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, feasible(t, newEvaluator(t, preemption.Config{}), test.snap, test.pod))
		})
	}
}

// Every node is asked about a pod whose nomination is taken back for the question.
func TestFeasibleWithoutTheNomination(t *testing.T) {
	nodes := []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a"), node("n3", "1", "a")}
	snap, e := newSnapshot(t, &outrank.Cluster{Nodes: nodes}), newEvaluator(t, preemption.Config{})
	p := pod("p", 9, "1")
	require.NoError(t, errOf(snap.PutPod(p)))
	require.NoError(t, snap.Nominate(p.Key(), "n2"))
	require.Equal(t, []string{"n2"}, feasible(t, e, snap, p))

	mark := snap.Mark()
	require.NoError(t, snap.Nominate(p.Key(), ""))
	require.Equal(t, []string{"n1", "n2", "n3"}, feasible(t, e, snap, p))
	require.NoError(t, snap.Undo(mark))
	require.Equal(t, []string{"n2"}, feasible(t, e, snap, p))
}

// A pod that names its nodes has the node that it is nominated to asked before them: what
// that fails is said of all nodes that are left out (rule 7.15.9).
func TestNominatedNodeOfAPodThatNamesItsNodes(t *testing.T) {
	named := &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{MatchFields: []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: outrank.In, Values: []string{"a"}}}}}}
	cluster := outrank.Cluster{
		Nodes: []*outrank.Node{
			{Name: "a", Allocatable: resource.MustList("cpu", "1", "pods", "10")},
			{Name: "b", Allocatable: resource.MustList("cpu", "1", "pods", "10"), Unschedulable: true},
			{Name: "c", Allocatable: resource.MustList("cpu", "1", "pods", "10")},
		},
		Pods: []*outrank.Pod{{Name: "low", NodeName: "a", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}},
	}
	const left = "node(s) didn't satisfy plugin(s) "
	for _, test := range []struct {
		nominated string
		want      []string // of a, b and c
	}{
		{"", []string{"Insufficient cpu", left + "[NodeAffinity]", left + "[NodeAffinity]"}},
		{"gone", []string{"Insufficient cpu", left + "[NodeAffinity]", left + "[NodeAffinity]"}},
		{"a", []string{"Insufficient cpu", left + "[NodeAffinity NodeResourcesFit]", left + "[NodeAffinity NodeResourcesFit]"}},
		{"b", []string{"Insufficient cpu", "node(s) were unschedulable", left + "[NodeAffinity NodeUnschedulable]"}},
		{"c", []string{"Insufficient cpu", left + "[NodeAffinity]", "node(s) didn't match Pod's node affinity/selector"}},
	} {
		pod := &outrank.Pod{Name: "p", NominatedNodeName: test.nominated, Priority: outrank.Priority(10), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
		pod.Affinity.NodeAffinity = named
		snap, e := newSnapshot(t, &cluster), newEvaluator(t, preemption.Config{})
		for range 3 { // the last from the cache, if it is ever asked
			plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: gen.Now})
			require.NoError(t, err)
			assert.Equal(t, "a", plan.Node)
			var counted []string
			for _, c := range plan.TurnedDown {
				for range c.Nodes {
					counted = append(counted, c.Reasons...)
				}
			}
			assert.ElementsMatch(t, test.want, counted, "nominated to %q", test.nominated)
		}
		ex, err := e.Explain(context.Background(), snap, preemption.Request{Pod: pod, Now: gen.Now})
		require.NoError(t, err)
		var got []string
		for _, n := range ex.Nodes {
			got = append(got, n.Status.Reasons...)
		}
		assert.Equal(t, test.want, got, "nominated to %q", test.nominated)
	}
}

// The filters have the names that statuses have, each once, and the caller's come
// last.
func TestFiltersOfAnEvaluator(t *testing.T) {
	own := &preemption.Filter{Name: "Own", Node: func(*outrank.Pod, *outrank.Node) preemption.Status { return preemption.Status{} }}
	names := newEvaluator(t, preemption.Config{Filters: []*preemption.Filter{own}}).Filters(0)
	assert.Equal(t, []string{
		preemption.NodeName, preemption.NodeUnschedulable, preemption.TaintToleration, preemption.NodeAffinity, preemption.NodePorts,
		preemption.NodeResourcesFit, preemption.VolumeRestrictions, preemption.NodeVolumeLimits, preemption.VolumeBinding,
		preemption.VolumeZone, preemption.PodTopologySpread, preemption.InterPodAffinity, preemption.NodeDeclaredFeatures, "Own",
	}, names)
	names[0] = "changed"
	assert.Equal(t, preemption.NodeName, newEvaluator(t, preemption.Config{}).Filters(0)[0])
}

func ExampleEvaluator_Filters() {
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(eval.Filters(0)), eval.Filters(0)[:3])
	// Output:
	// 13 [NodeName NodeUnschedulable TaintToleration]
}
