package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// Once some budgets are gone from a snapshot, every variant decides as the book does where they never were. A snapshot
// keeps the place of a budget that is gone, and not every variant asks for budgets in the same way.
func TestPropertyBudgetsThatAreGone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		shape := gen.Shape{Nodes: 3, PodsPerNode: 4, Budgets: 3}
		c := gen.Cluster(shape).Draw(t, "cluster")
		req := preemption.Request{Pod: gen.Preemptor(shape).Draw(t, "preemptor"), Now: gen.Now}
		config := preemption.Config{
			Variant: rapid.SampledFrom([]outrank.Variant{outrank.VariantV1_13, outrank.VariantSimplified, 0}).Draw(t, "variant"),
		}

		snap, left := newSnapshot(t, c), []*outrank.PodDisruptionBudget{}
		for _, b := range c.Budgets {
			if rapid.Bool().Draw(t, "gone") {
				require.NoError(t, snap.RemoveBudget(b.Key()))
				continue
			}
			left = append(left, b)
		}
		without := *c
		without.Budgets = left

		got, err := newEvaluator(t, config).Explain(t.Context(), snap, req)
		require.NoError(t, err)
		sameAsBook(t, &without, req, config, got)
	})
}
