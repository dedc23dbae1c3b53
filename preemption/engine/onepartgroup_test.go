package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// Where a placed pod fails whatever comes back, because nominations count once more at the end, units that
// do not concern it stay away, too (rule 12.9.9).
func TestGroupsThatFailOnTheirOwn(t *testing.T) {
	c := withGroups(&outrank.Cluster{
		Nodes: []*outrank.Node{node("a", "1", "z"), node("b", "1", "z"), node("c", "1", "z")},
		Pods:  []*outrank.Pod{pod("x", 1, "0", on("a")), pod("y", 2, "1", on("c"))},
	})
	c.Nodes[2].Unschedulable = true
	pods := gang(2)
	pods[0].NominatedNodeName = "b" // it is placed on a, and its nomination takes the place of the other
	req := preemption.GroupRequest{Pods: pods, Now: gen.Now, Refused: true}
	plan, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), newSnapshot(t, c), req)
	sameGroupAsBook(t, c, req, preemption.Config{}, plan, err)
	assert.Equal(t, "preempt [default/y default/x] violations 0; gang-0 on a; gang-1 on b", say(plan))
}

// A placing function is asked a third time if a guard keeps pods, and may fail then, too (rule 13.6.10). A
// filter that cannot start ends the decision even if a function places the group.
func TestPlacingFunctionsThatFailAtLast(t *testing.T) {
	c := withGroups(&outrank.Cluster{
		Nodes: []*outrank.Node{node("a", "1", "z"), node("b", "1", "z")},
		Pods:  []*outrank.Pod{pod("x", 1, "1", on("a")), pod("y", 2, "1", on("b"))},
	})
	config := preemption.Config{Guard: &preemption.Guard{Name: "Guard", Start: func([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
		return &keepsPod{name: "x"}, nil
	}}}
	calls := 0
	req := preemption.GroupRequest{Pods: gang(1), Now: gen.Now, Place: func(context.Context, preemption.Draft, []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		if calls++; calls == 3 {
			return nil, nil, errAtLast
		}
		return nil, &preemption.Refusal{Reason: "no place"}, nil
	}}
	_, err := newEvaluator(t, config).PreemptGroup(context.Background(), newSnapshot(t, c), req)
	require.ErrorIs(t, err, errAtLast)

	failing := preemption.Config{Filters: []*preemption.Filter{{Name: "Failing", Start: func(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
		return nil, errAtLast
	}}}}
	req.Refused = true
	req.Place = func(_ context.Context, _ preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		return []preemption.Assignment{{Pod: pods[0], Node: "a"}}, nil, nil
	}
	_, err = newEvaluator(t, failing).PreemptGroup(context.Background(), newSnapshot(t, c), req)
	require.ErrorIs(t, err, errAtLast)
}

var errAtLast = errors.New("planted")

// keepsPod is a guard that keeps one pod.
type keepsPod struct {
	name string
	gone bool
}

func (g *keepsPod) Add(p *outrank.Pod, _ *outrank.Node) { g.gone = g.gone && p.Name != g.name }
func (g *keepsPod) Remove(p *outrank.Pod, _ *outrank.Node) {
	g.gone = g.gone || p.Name == g.name
}
func (g *keepsPod) Rule(*outrank.Pod) string { return "" }
func (g *keepsPod) Clone() preemption.GuardState {
	c := *g
	return &c
}
func (g *keepsPod) Check() preemption.Status {
	if g.gone {
		return preemption.Unschedulable.Because(g.name + " stays")
	}
	return preemption.Status{}
}

// A pod whose group is in another tree than that of the first is of another group (rule 12.9.13).
func TestGroupsOfAnotherTree(t *testing.T) {
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true, "CompositePodGroup": true})
	require.NoError(t, err)
	top := func(name string) *outrank.CompositePodGroup {
		return &outrank.CompositePodGroup{Name: name, Policy: outrank.BasicPolicy, Priority: outrank.Priority(9)}
	}
	c := &outrank.Cluster{
		Release: release, Nodes: []*outrank.Node{node("a", "2", "z")}, Composites: []*outrank.CompositePodGroup{top("c"), top("d")},
		Groups: []*outrank.PodGroup{{Name: "g", Parent: "c", Policy: outrank.BasicPolicy}, {Name: "h", Parent: "d", Policy: outrank.BasicPolicy}},
	}
	pods := gang(2)
	pods[0].Group, pods[1].Group = "g", "h"
	req := preemption.GroupRequest{Pods: pods, Now: gen.Now}
	plan, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), newSnapshot(t, c), req)
	require.ErrorContains(t, err, `pod default/gang-1: spec.schedulingGroup.podGroupName: group "default/h", and default/gang-0 has "default/g"`)
	sameGroupAsBook(t, c, req, preemption.Config{}, plan, err)
}

// A filter that fails to start, at whatever time, ends the decision with its error.
func TestFiltersThatFailForGroups(t *testing.T) {
	c := withGroups(&outrank.Cluster{
		Nodes: []*outrank.Node{node("a", "1", "z"), node("b", "1", "z")},
		Pods:  []*outrank.Pod{pod("x", 1, "1", on("a")), pod("y", 2, "1", on("b"))},
	})
	failures := 0
	for left := range 30 {
		starts := 0
		config := preemption.Config{Filters: []*preemption.Filter{{Name: "Failing", Start: func(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
			if starts++; starts > left {
				return nil, errAtLast
			}
			return laborious{new(int)}, nil
		}}}}
		plan, err := newEvaluator(t, config).PreemptGroup(context.Background(), newSnapshot(t, c), preemption.GroupRequest{Pods: gang(2), Now: gen.Now})
		if err == nil {
			assert.Equal(t, "preempt [default/y default/x] violations 0; gang-0 on a; gang-1 on b", say(plan))
			continue
		}
		require.ErrorIs(t, err, errAtLast)
		assert.Equal(t, left, failures, "it fails at each start up to the last")
		failures++
	}
	assert.Greater(t, failures, 2)
}
