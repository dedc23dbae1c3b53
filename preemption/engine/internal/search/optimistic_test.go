package search

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// No candidate beats the optimistic score of its node, by any order of the ranks, and where
// victims are said to be of the two lowest priorities they are.
func TestPropertyOptimisticScores(t *testing.T) {
	t.Parallel()
	second, upper := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c, p := gen.Crowd(t)
		snap, err := state.New(c, state.UsualTraits)
		require.NoError(t, err)
		ranks := rapid.Permutation(preemption.DefaultRanks()).Draw(t, "ranks")
		config := preemption.Config{Ranks: ranks[:rapid.IntRange(1, len(ranks)).Draw(t, "prefix")]}
		config.Variant = rapid.SampledFrom([]outrank.Variant{0, outrank.VariantV1_13, outrank.VariantSimplified}).Draw(t, "variant")
		asked := dryrun.TermsOf(config)
		s, err := Start(context.Background(), &asked, snap, &preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		defer s.Close()
		s.Asked.Rules.NoteTight(snap.BudgetSet)
		w := s.Workers[0]
		w.BoundNodes(0, len(s.Bounds))
		for position := range s.Bounds {
			b, slot := &s.Bounds[position], snap.Order[position]
			if b.Kind == Settled {
				continue
			}
			sum, e := snap.Summaries.At(slot), snap.Summaries.ExtremesAt(slot)
			if rapid.Bool().Draw(t, "tighten") {
				w.Tighten(b, slot)
			}
			o := w.Optimistic(b, position, slot)
			bound := *b
			two := snap.Summaries.TwoLowestAt(slot)
			above := snap.LevelAbove(slot, 1)
			isLow, isSecond := w.StaysLow(b, sum, e), b.Within(above) && w.StaysSecond(sum, e, two, above)
			real := w.ScoreOfNode(b, position)
			require.GreaterOrEqual(t, real.Position, 0)
			require.False(t, s.Asked.Rules.Better(&real, &o), "%v beats %v by %v", real, o, ranks)
			figures := s.Asked.Rules.LeadingOf(&real)
			first := w.BoundLeading(prospect{position, slot, sum, &bound}, &figures)
			require.False(t, first.Worse(&figures), "%v is not a bound of %v", first, figures)
			if isLow && b.Bound == sum.Lowest {
				require.Equal(t, sum.Lowest, real.Top)
			}
			if isSecond {
				second++
				require.LessOrEqual(t, real.Top, above.Priority)
			}
			if above != nil && real.Top > above.Priority {
				upper++
			}
		}
	})
	require.Positive(t, second)
	require.Positive(t, upper)
}
