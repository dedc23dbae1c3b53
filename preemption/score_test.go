package preemption_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// The ranks of kube-scheduler decide one after the other. The first that tells two candidates apart is named
// (rules 11.2 to 11.6).
func TestScoreCompare(t *testing.T) {
	at := func(sec int64) time.Time { return time.Unix(sec, 0) }
	cost := preemption.Rank{Name: "lost work", Cost: func(*outrank.Pod) int64 { return 0 }}
	for _, test := range []struct {
		name          string
		better, worse preemption.Score
		ranks         []preemption.Rank
		by            string
	}{
		{"fewer violations, whatever the priority", preemption.Score{Violations: 1, TopPriority: 9}, preemption.Score{Violations: 2}, nil, "budget-violations"},
		{"the most important victim, whatever the sum", preemption.Score{TopPriority: -1, PrioritySum: 9}, preemption.Score{}, nil, "top-priority"},
		{"the sum, whatever the number", preemption.Score{PrioritySum: 1, Victims: 9}, preemption.Score{PrioritySum: 2, Victims: 1}, nil, "priority-sum"},
		{"fewer victims, whatever the start", preemption.Score{Victims: 1, Start: at(5)}, preemption.Score{Victims: 2, Start: at(9)}, nil, "victim-count"},
		{"a later start", preemption.Score{Start: at(6)}, preemption.Score{Start: at(5)}, nil, "start-time"},
		{"a start later by a billionth", preemption.Score{Start: time.Unix(5, 1)}, preemption.Score{Start: at(5)}, nil, "start-time"},
		{"no start is later than any", preemption.Score{}, preemption.Score{Start: at(1 << 40)}, nil, "start-time"},
		{"starts that no number of nanoseconds tells apart", preemption.Score{Start: at(1 << 40)}, preemption.Score{Start: at(1<<40 - 1)}, nil, "start-time"},
		{"and long before 1970", preemption.Score{Start: at(-1 << 40)}, preemption.Score{Start: at(-1<<40 - 1)}, nil, "start-time"},
		{
			"in the order of the list, and no others",
			preemption.Score{Victims: 1, Violations: 9, TopPriority: 9}, preemption.Score{Victims: 2}, []preemption.Rank{preemption.ByVictims}, "victim-count",
		},
		{
			"a rank of the caller by its own figure",
			preemption.Score{Own: map[string]int64{"lost work": 3}, Victims: 9}, preemption.Score{Own: map[string]int64{"lost work": 4}},
			[]preemption.Rank{cost, preemption.ByVictims}, "lost work",
		},
		{
			"a later rank where that is the same",
			preemption.Score{Own: map[string]int64{"lost work": 3}, Victims: 1}, preemption.Score{Own: map[string]int64{"lost work": 3}, Victims: 2},
			[]preemption.Rank{cost, preemption.ByVictims}, "victim-count",
		},
	} {
		order, by := test.better.Compare(test.worse, test.ranks)
		assert.Negative(t, order, test.name)
		assert.Equal(t, test.by, by, test.name)
		order, by = test.worse.Compare(test.better, test.ranks)
		assert.Positive(t, order, test.name)
		assert.Equal(t, test.by, by, test.name)
		order, by = test.worse.Compare(test.worse, test.ranks)
		assert.Zero(t, order, test.name)
		assert.Empty(t, by, test.name)
	}
	order, by := preemption.Score{Victims: 1}.Compare(preemption.Score{Victims: 2}, []preemption.Rank{})
	assert.Zero(t, order, "no ranks are not the default ones")
	assert.Empty(t, by)
}

// A rank has one figure, and less is better.
func TestRankOf(t *testing.T) {
	score := preemption.Score{Violations: 1, TopPriority: -2, PrioritySum: 3, Victims: 4, Start: time.Unix(5, 6), Own: map[string]int64{"lost work": 7}}
	for want, r := range map[int64]preemption.Rank{
		1: preemption.ByViolations, -2: preemption.ByTopPriority, 3: preemption.ByPrioritySum, 4: preemption.ByVictims, -5_000_000_006: preemption.ByStart,
		7: {Name: "lost work"}, 0: {Name: "another"},
	} {
		assert.Equal(t, want, r.Of(score), r.Name)
	}
	// A start counts in nanoseconds, and beyond their range as the end of the range.
	for _, test := range []struct {
		start time.Time
		want  int64
	}{
		{time.Time{}, math.MinInt64},
		{time.Unix(1<<40, 0), math.MinInt64},
		{time.Unix(-1<<40, 0), math.MaxInt64},
		{time.Unix(9_000_000_000, 1), -9_000_000_000_000_000_001},
		{time.Unix(-9_000_000_000, 0), 9_000_000_000_000_000_000},
	} {
		assert.Equal(t, test.want, preemption.ByStart.Of(preemption.Score{Start: test.start}), "%v", test.start)
	}
}
