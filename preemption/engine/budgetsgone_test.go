package engine_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
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

// setBudgets puts a list in the place of all budgets, in its order. Where there are the same in the
// same order, none is taken away.
func setBudgets(s *engine.Snapshot, budgets []*outrank.PodDisruptionBudget) error {
	known := slices.Collect(s.Budgets())
	sameKey := func(a, b *outrank.PodDisruptionBudget) bool { return a.Key() == b.Key() }
	if !slices.EqualFunc(known, budgets, sameKey) {
		for _, b := range known {
			if err := s.RemoveBudget(b.Key()); err != nil {
				return err
			}
		}
	}
	for _, b := range budgets {
		if err := s.PutBudget(b); err != nil {
			return err
		}
	}
	return nil
}
