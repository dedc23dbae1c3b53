package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// Of a pod under two budgets v1.36 charges both, whatever the first allows, and v1.37 none behind
// the first that it violates (rule 6.3.8). So the two pods of n1 violate two budgets or one, and
// either n2 is the best node or n1, by every kind of plan.
func TestTwoBudgetsOverOneVictim(t *testing.T) {
	anyApp := []outrank.Requirement{{Key: "app", Operator: outrank.Exists}}
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a"), node("n2", "2", "a")},
		Pods: []*outrank.Pod{
			pod("under-both", 1, "1", on("n1"), app("x"), started(-90)), pod("under-second", 1, "1", on("n1"), app("y"), started(-30)),
			pod("alone", 2, "2", on("n2"), app("x")),
		},
		Budgets: []*outrank.PodDisruptionBudget{
			{Name: "first", Selector: selects("x"), DisruptionsAllowed: 0},
			{Name: "second", Selector: &outrank.LabelSelector{MatchExpressions: anyApp}, DisruptionsAllowed: 1},
		},
	}
	p := pod("p", 9, "2")
	for release, want := range map[outrank.Release]string{outrank.V1_36: "n2", outrank.V1_37: "n1"} {
		c.Release = release
		snap, e := newSnapshot(t, c), newEvaluator(t, preemption.Config{})
		exact := newEvaluator(t, preemption.Config{Victims: preemption.Exact{}})
		across := newEvaluator(t, preemption.Config{Victims: preemption.Across{}})
		for _, by := range []*engine.Evaluator{e, exact, across} {
			plan, err := by.Preempt(t.Context(), snap, preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			assert.Equal(t, want, plan.Node, "%v: %v", release, plan)
			assert.Equal(t, 1, plan.Score.Violations)
		}
		jointly, err := joint.Preempt(t.Context(), e, snap, joint.Request{Pods: []*outrank.Pod{p}, Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, want, jointly.Placements[0].Node, "%v: %v", release, jointly)
	}
}

// Seeds of fullNode by which a pod under two budgets tells the releases apart are among these.
func TestExactVictimsUnderTwoBudgets(t *testing.T) {
	for seed := range uint64(200) {
		agreesWithAllSets(t, seed, 12)
	}
}
