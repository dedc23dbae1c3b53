package preemption_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Each pod gets the first node that takes it beside those before it, in the order of the question (rules
// 12.9.3 and 12.9.5).
func TestFirstFit(t *testing.T) {
	g := twoMembers(t, 3)
	g.cluster.Nodes[0].Allocatable = allocatableOf("1")
	assert.Equal(t, []string{"p on a", "q on b"}, at(g.plan(t).Placement))
	g.pods[0], g.pods[1] = g.pods[1], g.pods[0]
	assert.Equal(t, []string{"q on a", "p on b"}, at(g.plan(t).Placement))
	away("zone", selects("app", "q"))(g.pods[1])
	g.cluster.Nodes[0].Allocatable = allocatableOf("2")
	assert.Equal(t, []string{"q on a", "p on b"}, at(g.plan(t).Placement), "p keeps away from q, which is placed")
}

// A refusal names the first pod without a place, with the answers of the nodes.
func TestRefusals(t *testing.T) {
	g := twoMembers(t, 3)
	for _, n := range g.cluster.Nodes[1:] {
		n.Unschedulable = true
	}
	g.cluster.Nodes[0].Allocatable = allocatableOf("1")
	refused := g.plan(t).TurnedDown
	require.NotNil(t, refused)
	assert.Same(t, g.pods[1], refused.Pod)
	assert.Equal(t, []string{"2 NodeUnschedulable: node(s) were unschedulable", "1 NodeResourcesFit: Insufficient cpu"}, countsOf(refused.Nodes))
}

// A nomination that a pod of the group has counts for the others until it has a place of its own (rule
// 12.9.5), of a tree as of a group.
func TestNominationsWithinTheGroup(t *testing.T) {
	g := twoMembers(t, 2)
	g.cluster.Nodes[0].Allocatable, g.cluster.Nodes[1].Allocatable = allocatableOf("1"), allocatableOf("1")
	g.pods[1].NominatedNodeName = "a"
	assert.Equal(t, []string{"p on b", "q on a"}, at(g.plan(t).Placement), "p leaves a to q")
	g.cluster.Pods = []*outrank.Pod{memberPod("q", "", "pre", "1", 9)}
	assert.Equal(t, []string{"p on a", "q on b"}, at(g.plan(t).Placement), "the cluster knows of no nomination")
}

// placing is a group with a placing function.
func placing(t *testing.T, place preemption.PlaceFunc) *groupCase {
	t.Helper()
	g := twoMembers(t, 2, memberPod("x", "a", "", "2", 1), memberPod("y", "b", "", "2", 2))
	g.place = place
	return g
}

// A function of the caller places the group: as things are, and with every possible victim away. The
// placement stays (rules 12.9.8 and 12.9.14).
func TestPlacingFunctions(t *testing.T) {
	calls := 0
	g := placing(t, func(_ context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		calls++
		if calls == 1 {
			assert.Len(t, draft.PodsOn("a"), 1)
			return nil, &preemption.Refusal{Reason: "no place"}, nil
		}
		assert.Empty(t, draft.PodsOn("a"))
		q, p := pods[1], pods[0]
		pods[0] = nil // the slice is the function's
		return []preemption.Assignment{{Pod: q, Node: "b"}, {Pod: p, Node: "b"}}, nil, nil
	})
	g.cluster.Groups[0].Topology = []string{"zone"} // which the function may hold to
	plan := g.plan(t)
	assert.Equal(t, 2, calls)
	assert.Equal(t, []string{"q on b", "p on b"}, at(plan.Placement))
	assert.Equal(t, [][]string{{"y"}}, unitNames(plan), "x comes back")
	assert.Equal(t, "no place", plan.TurnedDown.Reason)
}

// Its refusal is the answer; errors, and placements that make no sense, end the decision.
func TestPlacingFunctionsThatFail(t *testing.T) {
	p, q := memberPod("p", "", "pre", "1", 9), memberPod("q", "", "pre", "1", 9)
	for _, test := range []struct {
		name    string
		at      []preemption.Assignment
		refused *preemption.Refusal
		err     error
		says    string
	}{
		{name: "an error", err: errPlanted, says: "place: planted"},
		{name: "nobody has a node", says: "no pod has a node, and nothing says why"},
		{name: "too few have", at: []preemption.Assignment{{Pod: p, Node: "a"}}, says: "1 of 2 pods have a node, and nothing says why: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"},
		{name: "a nil", at: []preemption.Assignment{{Node: "a"}}, says: "a pod is nil"},
		{name: "a pod of another group", at: []preemption.Assignment{{Pod: preemptor(func(p *outrank.Pod) { p.Name = "z" }), Node: "a"}}, says: "default/z was not asked for, or stands there twice"},
		{name: "a pod twice", at: []preemption.Assignment{{Pod: q, Node: "a"}, {Pod: q, Node: "a"}}, says: "default/q was not asked for, or stands there twice"},
		{name: "a node that is not there", at: []preemption.Assignment{{Pod: p, Node: "gone"}}, says: `default/p: no node "gone"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := placing(t, func(context.Context, preemption.Draft, []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
				return test.at, test.refused, test.err
			}).ask()
			require.ErrorContains(t, err, test.says)
		})
	}
	plan := placing(t, func(context.Context, preemption.Draft, []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		return nil, &preemption.Refusal{Reason: "not today"}, nil
	}).plan(t)
	assert.Equal(t, preemption.NothingHelps, plan.Outcome)
	assert.Equal(t, []string{"pod group preemption: not today"}, plan.Status.Reasons)
	assert.Equal(t, "not today", plan.Unhelpful.Reason)
}

// A draft says which nodes take a pod beside others of the group, and shows the cluster without them (rule
// 7.15.5).
func TestDrafts(t *testing.T) {
	var kept preemption.Draft
	var g *groupCase
	g = placing(t, func(_ context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		kept = draft
		p, q := pods[0], pods[1]
		feasible := func(pod *outrank.Pod, beside ...preemption.Assignment) (nodes []string) {
			list, err := draft.Feasible(pod, beside...)
			require.NoError(t, err)
			for _, n := range list {
				nodes = append(nodes, n.Name)
			}
			return nodes
		}
		assert.Equal(t, []string{"a", "b"}, feasible(p), "q is nominated to b, where there is room for both")
		assert.Equal(t, []string{"b"}, feasible(p, preemption.Assignment{Pod: q, Node: "a"}))
		for pod := range draft.Nominated() {
			assert.Equal(t, "n", pod.Name, "those of the group are not shown")
		}
		for range draft.Nominated() {
			break // a loop may end early
		}
		for _, test := range []struct {
			pod    *outrank.Pod
			beside []preemption.Assignment
			says   string
		}{
			{nil, nil, "a pod is nil"},
			{g.cluster.Pods[0], nil, "default/x is no waiting pod of the group"},
			{p, []preemption.Assignment{{Pod: p, Node: "a"}}, "default/p is no waiting pod of the group, or has its place already"},
			{p, []preemption.Assignment{{Pod: q, Node: "a"}, {Pod: q, Node: "a"}}, "default/q is no waiting pod of the group, or has its place already"},
			{p, []preemption.Assignment{{Pod: q, Node: "gone"}}, `no node "gone"`},
		} {
			_, err := draft.Feasible(test.pod, test.beside...)
			require.ErrorIs(t, err, outrank.ErrInvalid)
			require.ErrorContains(t, err, test.says)
		}
		return []preemption.Assignment{{Pod: p, Node: "a"}, {Pod: q, Node: "b"}}, nil, nil
	})
	g.cluster.Nodes[0].Allocatable, g.cluster.Nodes[1].Allocatable = allocatableOf("3"), allocatableOf("4")
	g.cluster.Pods = append(g.cluster.Pods, memberPod("n", "", "", "0", 1, nominatedTo("a")))
	g.pods[1].NominatedNodeName = "b"
	g.plan(t)
	_, err := kept.Feasible(g.pods[0])
	require.ErrorIs(t, err, preemption.ErrState, "it is valid until the function returns")
}
