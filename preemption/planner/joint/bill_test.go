package joint

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// By the rules of v1.37 one more victim can make for fewer violations, where budgets overlap
// (rule 6.3.8): some victims then say nothing about more of them.
func TestViolationsThatShrink(t *testing.T) {
	budget := func(name string) *outrank.PodDisruptionBudget {
		return &outrank.PodDisruptionBudget{Name: name, DisruptionsAllowed: 1, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{name: "yes"}}}
	}
	covered := func(name string, priority int32, budgets ...string) *outrank.Pod {
		p := &outrank.Pod{Name: name, Priority: outrank.Priority(priority), Labels: map[string]string{}}
		for _, b := range budgets {
			p.Labels[b] = "yes"
		}
		return p
	}
	snap, err := engine.NewSnapshot(&outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{budget("a"), budget("b"), budget("c")}, Release: outrank.V1_37})
	require.NoError(t, err)
	b := newTotals(snap, &preemption.Config{}, time.Time{}, nil)
	some := []*outrank.Pod{covered("w", 3, "a", "b", "c"), covered("x", 2, "b"), covered("y", 1, "c")}
	few := b.total(some)
	assert.Equal(t, 2, few.Violations)
	more := b.total(append(some, covered("v", 4, "a")))
	assert.Equal(t, 1, more.Violations)
	best := more
	best.Violations, best.Victims = 1, 9
	assert.True(t, b.mayBeat(few, best), "more victims than few can be better than best")
}

// A further victim of a higher priority can make for a later start: what is known of the start
// of some victims says nothing about more of them, unless the top priority was compared before.
func TestStartsThatComeLater(t *testing.T) {
	old := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	snap, err := engine.NewSnapshot(&outrank.Cluster{})
	require.NoError(t, err)
	b := newTotals(snap, &preemption.Config{Ranks: []preemption.Rank{preemption.ByStart}}, time.Time{}, nil)
	low := &outrank.Pod{Name: "low", Priority: outrank.Priority(1), StartTime: old}
	high := &outrank.Pod{Name: "high", Priority: outrank.Priority(2), StartTime: old.Add(2 * time.Hour)}
	best := b.total([]*outrank.Pod{{Name: "other", Priority: outrank.Priority(1), StartTime: old.Add(time.Hour)}})
	some, more := b.total([]*outrank.Pod{low}), b.total([]*outrank.Pod{low, high})
	order, _ := b.compare(some, best)
	assert.Positive(t, order)
	order, _ = b.compare(more, best)
	assert.Negative(t, order)
	assert.True(t, b.mayBeat(some, best))

	b.ranks = newTotals(snap, &preemption.Config{Ranks: []preemption.Rank{preemption.ByTopPriority, preemption.ByStart}}, time.Time{}, nil).ranks
	assert.False(t, b.mayBeat(some, best))
}
