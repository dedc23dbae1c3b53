package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// Whichever node the pod is nominated to, that node is the answer where Explain says
// that it takes the pod, and there is none where it does not (rule 7.15.5).
func TestPropertyFeasibleNominated(t *testing.T) {
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
				got, err := e.FeasibleNominated(context.Background(), s, &pod)
				require.NoError(t, err)
				for _, report := range explained.Nodes {
					if report.Node == n.Name {
						assert.Equal(t, report.Status.Code == preemption.Success, got != nil)
					}
				}
				if got != nil {
					assert.Equal(t, n.Name, got.Name)
				}
			}
		}
	})
}

func TestFeasibleNominated(t *testing.T) {
	small := func(name string) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "1", "pods", "10")}
	}
	asks := func(cpu, nominated string) *outrank.Pod {
		return &outrank.Pod{Name: "p", NominatedNodeName: nominated, Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}}
	}
	snap := newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{small("a"), small("b")}, Pods: []*outrank.Pod{{Name: "runs", NodeName: "a"}}})
	moved := snap.Clone()
	require.NoError(t, errOf(moved.PutPod(asks("1", "b"))))
	require.NoError(t, moved.Nominate("default/p", "a"))
	ended, end := context.WithCancel(context.Background())
	end()
	for _, c := range []struct {
		name string
		ctx  context.Context
		snap *engine.Snapshot
		pod  *outrank.Pod
		want string
		err  error
	}{
		{"it takes the pod", context.Background(), snap, asks("1", "b"), "b", nil},
		{"it does not", context.Background(), snap, asks("2", "b"), "", nil},
		{"no nomination", context.Background(), snap, asks("1", ""), "", nil},
		{"no such node", context.Background(), snap, asks("1", "c"), "", nil},
		{"the snapshot knows better", context.Background(), moved, asks("1", "b"), "a", nil},
		{"a conflict before any node is asked", context.Background(), snap, &outrank.Pod{
			Name: "p", NominatedNodeName: "b", Volumes: []outrank.Volume{{Claim: "data", State: outrank.ClaimLost}},
		}, "", nil},
		{"the end of the context", ended, snap, asks("1", "b"), "", context.Canceled},
		{"no snapshot", context.Background(), nil, asks("1", "b"), "", outrank.ErrInvalid},
		{"a pod that runs", context.Background(), snap, &outrank.Pod{Name: "runs"}, "", preemption.ErrState},
	} {
		t.Run(c.name, func(t *testing.T) {
			node, err := newEvaluator(t, preemption.Config{}).FeasibleNominated(c.ctx, c.snap, c.pod)
			require.ErrorIs(t, err, c.err)
			if c.want == "" {
				assert.Nil(t, node)
			} else if assert.NotNil(t, node) {
				assert.Equal(t, c.want, node.Name)
			}
		})
	}
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

func ExampleEvaluator_FeasibleNominated() {
	node := func(name string) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "4", "pods", "10")}
	}
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{node("n1"), node("n2")}})
	if err != nil {
		panic(err)
	}
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		panic(err)
	}
	pod := &outrank.Pod{Name: "web", NominatedNodeName: "n2", Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "2")}}}
	found, err := eval.FeasibleNominated(context.Background(), snap, pod)
	fmt.Println(found.Name, err)
	// Output:
	// n2 <nil>
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
