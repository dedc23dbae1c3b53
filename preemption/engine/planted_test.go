package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// Clusters on which a search that forgets one of its conditions takes the wrong node.

// A pod of a high priority is a possible victim where its group has a low one (rule 12.6.2).
func TestPodThatCountsLessThanItsPriority(t *testing.T) {
	c := withGroups(&outrank.Cluster{
		Nodes:  []*outrank.Node{node("n1", "1", "a")},
		Pods:   []*outrank.Pod{pod("high", 200, "1", on("n1"), in("low"))},
		Groups: []*outrank.PodGroup{{Name: "low", Priority: outrank.Priority(0)}},
	})
	plan := preempt(t, c, pod("p", 100, "1"))
	require.Equal(t, preemption.Preempts, plan.Outcome)
	assert.Equal(t, "high", plan.Victims[0].Pod.Name)
}

// A node that was put off, because another one looked better by the first ranks, is looked at
// again where that one comes to the same, and wins by a later rank.
func TestNodePutOffWinsByALaterRank(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "4", "a"), node("n2", "2", "a")},
		Pods: []*outrank.Pod{
			pod("big", 0, "2", on("n1")), pod("a", 0, "1", on("n1"), started(-60)), pod("b", 0, "1", on("n1"), started(-60)),
			pod("c", 0, "1", on("n2"), started(-30)), pod("d", 0, "1", on("n2"), started(-30)),
		},
	}
	e := newEvaluator(t, preemption.Config{
		Ranks:       []preemption.Rank{preemption.ByVictims, preemption.ByStart},
		Eligibility: preemption.Eligibility{Take: func(_, v *outrank.Pod) (string, bool) { return "", v.Name != "big" }},
	})
	plan, err := e.Preempt(t.Context(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 100, "2"), Now: gen.Now})
	require.NoError(t, err)
	require.Len(t, plan.Victims, 2)
	assert.Equal(t, "n2", plan.Node)
}

// A unit that strict budgets spare takes nothing from any of them (rule 13.5.1).
func TestSparedUnitTakesNoAllowance(t *testing.T) {
	budget := func(app string, allowed int32) *outrank.PodDisruptionBudget {
		return &outrank.PodDisruptionBudget{Name: app, Selector: selects(app), DisruptionsAllowed: allowed}
	}
	c := withGroups(&outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "3", "a")},
		Pods: []*outrank.Pod{
			pod("first", 0, "1", on("n1"), started(-90), in("unit"), app("x")),
			pod("second", 0, "1", on("n1"), started(-30), in("unit"), app("y")),
			pod("single", 10, "1", on("n1"), app("x")),
		},
		Groups:  []*outrank.PodGroup{{Name: "unit", DisruptionMode: outrank.DisruptPodGroup, Priority: outrank.Priority(0)}},
		Budgets: []*outrank.PodDisruptionBudget{budget("x", 1), budget("y", 0)},
	})
	e := newEvaluator(t, preemption.Config{Budgets: preemption.NeverViolate})
	plan, err := e.Preempt(t.Context(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 100, "1"), Now: gen.Now})
	require.NoError(t, err)
	require.Len(t, plan.Victims, 1, "%v", plan)
	assert.Equal(t, "single", plan.Victims[0].Pod.Name)
}
