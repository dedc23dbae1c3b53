package preemption_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// An invalid configuration or cluster is an error, and no cluster at all is one without nodes.
func TestGroupsOfBadInput(t *testing.T) {
	g := twoMembers(t, 1)
	g.config.Filters = []*preemption.Filter{nil}
	_, err := g.ask()
	require.ErrorIs(t, err, outrank.ErrInvalid)

	g = twoMembers(t, 1)
	g.cluster.Nodes[0].Name = ""
	_, err = g.ask()
	require.ErrorContains(t, err, "node number 1: metadata.name: missing")

	g = twoMembers(t, 1)
	g.cluster = nil
	_, err = g.ask()
	require.ErrorContains(t, err, "only with the feature gate GenericWorkload", "it has the default release, in which groups are switched off")

	g = twoMembers(t, 1)
	g.pods[1].Overhead = allocatableOf("-1")
	_, err = g.ask()
	require.ErrorContains(t, err, "pod default/q: spec.overhead.cpu: -1 is negative", "a pod that is there and invalid keeps its name")
}

// A guard that cannot start ends the decision. The error names the group or, if the pods have none, the first
// pod (rule 13.6.8).
func TestGuardsThatCannotStart(t *testing.T) {
	failing := &preemption.Guard{Name: "Guard", Start: func([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
		return nil, errPlanted
	}}
	g := twoMembers(t, 1)
	g.config.Guard = failing
	_, err := g.ask()
	require.EqualError(t, err, "guard Guard: podgroup default/pre: planted")

	for _, p := range g.pods {
		p.Group = ""
	}
	_, err = g.ask()
	require.EqualError(t, err, "guard Guard: pod default/p: planted")
}

// failsAfter is a filter that lets everything pass, and fails to start once it has started so many times.
func failsAfter(starts int) *preemption.Filter {
	return &preemption.Filter{Name: "Failing", Start: func(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
		if starts--; starts < 0 {
			return nil, errPlanted
		}
		return &apartState{}, nil
	}}
}

// A filter of the caller that fails ends the decision, wherever the decision is: before the first pod is
// placed, while pods are placed, or when all units have left.
func TestFiltersThatFailForGroups(t *testing.T) {
	ask := func(starts int) (*preemption.GroupPlan, error) {
		g := twoMembers(t, 1, memberPod("x", "a", "", "1", 1))
		g.config.Filters = []*preemption.Filter{failsAfter(starts)}
		return g.ask()
	}

	// The filter starts for each pod before the first is placed, for each that is placed as things are, and
	// for each that is placed without x.
	for starts := range 6 {
		plan, err := ask(starts)
		require.ErrorIs(t, err, errPlanted, "after %d starts", starts)
		assert.Nil(t, plan)
	}
	plan, err := ask(6)
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"x"}}, unitNames(plan))
}

// In a tree the pods of the second group are reached through the group at the top.
func TestFiltersThatFailForTrees(t *testing.T) {
	g := twoMembers(t, 1)
	g.cluster.Groups = []*outrank.PodGroup{{Name: "g", Parent: "top", Policy: outrank.BasicPolicy}, {Name: "h", Parent: "top", Policy: outrank.BasicPolicy}}
	g.cluster.Composites = []*outrank.CompositePodGroup{composite("top", 9, func(c *outrank.CompositePodGroup) { c.Policy = outrank.BasicPolicy })}
	g.pods[0].Group, g.pods[1].Group = "g", "h"
	g.config.Filters = []*preemption.Filter{failsAfter(3)}
	_, err := g.ask()
	require.ErrorIs(t, err, errPlanted)
	g.config.Filters = []*preemption.Filter{failsAfter(4)}
	assert.Equal(t, []string{"p on a", "q on a"}, at(g.plan(t).Placement))
}

// Where a function of the caller places the group, the filters start for the pods that it has placed.
func TestFiltersThatFailForPlacedPods(t *testing.T) {
	g := placing(t, func(_ context.Context, _ preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		return []preemption.Assignment{{Pod: pods[0], Node: "a"}, {Pod: pods[1], Node: "b"}}, nil, nil
	})
	for starts := range 2 {
		g.config.Filters = []*preemption.Filter{failsAfter(starts)}
		_, err := g.ask()
		require.ErrorIs(t, err, errPlanted, "after %d starts", starts)
	}
}

// A placing function is asked a third time if a guard keeps pods, and may fail then, too (rule 13.6.10).
func TestPlacingFunctionsThatFailAtLast(t *testing.T) {
	calls := 0
	g := placing(t, func(context.Context, preemption.Draft, []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		if calls++; calls == 3 {
			return nil, nil, errPlanted
		}
		return nil, &preemption.Refusal{Reason: "no place"}, nil
	})
	g.config.Guard = guardOf(keeping("x"))
	_, err := g.ask()
	require.ErrorIs(t, err, errPlanted)
	assert.Equal(t, 3, calls, "as things are, without y, and without x and y")
}
