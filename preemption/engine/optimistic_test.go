package engine

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/search"
	"github.com/outrank-go/outrank/resource"
)

// No candidate beats the optimistic score of its node, by any order of the ranks, and where
// victims are said to be of the two lowest priorities they are.
func TestPropertyOptimisticScores(t *testing.T) {
	t.Parallel()
	second, upper := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c, p := crowd(t)
		snap, err := NewSnapshot(c)
		require.NoError(t, err)
		ranks := rapid.Permutation(preemption.DefaultRanks()).Draw(t, "ranks")
		config := preemption.Config{Ranks: ranks[:rapid.IntRange(1, len(ranks)).Draw(t, "prefix")]}
		config.Variant = rapid.SampledFrom([]outrank.Variant{0, outrank.VariantV1_13, outrank.VariantSimplified}).Draw(t, "variant")
		asked := dryrun.TermsOf(config)
		s, err := search.Start(context.Background(), &asked, snap.of, &preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		defer s.Close()
		s.Asked.Rules.NoteTight(snap.of.BudgetSet)
		w := s.Workers[0]
		w.BoundNodes(0, len(s.Bounds))
		for position := range s.Bounds {
			b, slot := &s.Bounds[position], snap.of.Order[position]
			if b.Kind == search.Settled {
				continue
			}
			sum, e := snap.of.Summaries.At(slot), snap.of.Summaries.ExtremesAt(slot)
			if rapid.Bool().Draw(t, "tighten") {
				w.Tighten(b, slot)
			}
			o := w.Optimistic(b, position, slot)
			bound := *b
			two := snap.of.Summaries.TwoLowestAt(slot)
			above := snap.of.LevelAbove(slot, 1)
			isLow, isSecond := w.StaysLow(b, sum, e), b.Within(above) && w.StaysSecond(sum, e, two, above)
			real := w.ScoreOfNode(b, position)
			require.GreaterOrEqual(t, real.Position, 0)
			require.False(t, s.Asked.Rules.Better(&real, &o), "%v beats %v by %v", real, o, ranks)
			figures := s.Asked.Rules.LeadingOf(&real)
			first := w.FirstFigures(&bound, slot, sum, &figures)
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

// A node waits, or is left out, because of the first figures of another one only where
// violations of that one do not come before them.
func TestViolationsBeforeTheFirstFigures(t *testing.T) {
	pod := func(name, node, cpu string, age time.Duration) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: node, Labels: map[string]string{"on": node}, StartTime: gen.Now.Add(-age), Priority: outrank.Priority(0),
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", cpu)}},
		}
	}
	allocatable := resource.MustList("cpu", "4", "pods", "10")
	snap, err := NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "violating", Allocatable: allocatable}, {Name: "free", Allocatable: allocatable}},
		Pods:  []*outrank.Pod{pod("a", "violating", "4", time.Minute), pod("b", "free", "2", time.Hour), pod("c", "free", "2", time.Hour)},
		Budgets: []*outrank.PodDisruptionBudget{{
			Name: "none", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"on": "violating"}},
		}},
	})
	require.NoError(t, err)
	p := &outrank.Pod{Name: "p", Priority: outrank.Priority(1), Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "4")}}}
	for _, x := range []struct {
		want  string
		ranks []preemption.Rank
	}{
		{"free", []preemption.Rank{preemption.ByViolations, preemption.ByVictims, preemption.ByPrioritySum}},
		{"violating", []preemption.Rank{preemption.ByVictims, preemption.ByViolations, preemption.ByPrioritySum}},
		{"free", []preemption.Rank{preemption.ByViolations, preemption.ByStart}},
		{"violating", []preemption.Rank{preemption.ByStart, preemption.ByViolations}},
		{"free", []preemption.Rank{preemption.ByTopPriority, preemption.ByViolations, preemption.ByPrioritySum}},
		{"violating", []preemption.Rank{preemption.ByTopPriority, preemption.ByPrioritySum, preemption.ByViolations}},
	} {
		e, err := New(preemption.Config{Ranks: x.ranks})
		require.NoError(t, err)
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, x.want, plan.Node, "%v", x.ranks)
	}
}

// A node that waited because another one looked better is looked at again where that one
// turned out to be no better than it.
func TestNodesThatWaitedMayTie(t *testing.T) {
	pod := func(name, node, cpu string, age time.Duration) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: node, StartTime: gen.Now.Add(-age), Priority: outrank.Priority(0),
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", cpu)}},
		}
	}
	snap, err := NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{
			{Name: "promising", Allocatable: resource.MustList("cpu", "8", "pods", "10")}, {Name: "waits", Allocatable: resource.MustList("cpu", "4", "pods", "10")},
		},
		Pods: []*outrank.Pod{
			// One would be enough, and it is put back first.
			pod("a", "promising", "4", 3*time.Hour), pod("b", "promising", "2", 2*time.Hour), pod("c", "promising", "2", 2*time.Hour),
			pod("d", "waits", "2", time.Hour), pod("e", "waits", "2", time.Hour),
		},
	})
	require.NoError(t, err)
	p := &outrank.Pod{Name: "p", Priority: outrank.Priority(1), Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "4")}}}
	for _, ranks := range [][]preemption.Rank{{preemption.ByVictims, preemption.ByStart}, {preemption.ByPrioritySum, preemption.ByStart}, {preemption.ByVictims, preemption.ByPrioritySum, preemption.ByStart}} {
		e, err := New(preemption.Config{Ranks: ranks})
		require.NoError(t, err)
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, "waits", plan.Node, "%v", ranks)
	}
}
