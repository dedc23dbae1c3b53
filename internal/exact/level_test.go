package exact_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/exact"
)

// somePuzzleByLevels draws a puzzle in which budgets allow few of the parts with low tops, and
// other parts violate one in any case, so that the least top without a violation is searched
// for.
func somePuzzleByLevels(t *rapid.T) *puzzle {
	p := somePuzzle(t, 9, true)
	p.strict, p.left = false, []int{rapid.IntRange(1, 2).Draw(t, "allowed")}
	p.measures = []exact.Measure{exact.ByViolations, exact.ByTop, exact.BySum, exact.ByParts, exact.ByStart}
	for _, item := range p.items {
		x := &item[0]
		x.budgets, x.broken = nil, false
		switch rapid.IntRange(0, 5).Draw(t, "kept back") {
		case 0, 1, 2:
			x.budgets = []int{0}
		case 3:
			x.broken = true
		}
	}
	return p
}

// A level is searched with all that leave without a violation, and with nothing else.
func TestPropertyLevels(t *testing.T) {
	var s exact.Search
	rapid.Check(t, func(t *rapid.T) {
		p := somePuzzleByLevels(t)
		want, found := p.best()
		p.ask(&s, math.MaxInt)
		s.Solve()
		p.isSound(t, &s)
		_, score, ok := s.Best()
		require.Equal(t, found, ok)
		require.True(t, !found || p.compare(want, score) == 0, "want %+v, got %+v", want, score)
	})
}

// Parts that violate a budget in any case are no part of a level: with them in it, it would
// seem to have no set without a violation.
func TestLevelLeavesOutWhatViolates(t *testing.T) {
	free, covered, broken := []int(nil), []int{0}, true
	at := func(top int32, first, second int64, budgets []int, broken bool) []part {
		return []part{{top: top, holds: []int64{first, second}, budgets: budgets, broken: broken}}
	}
	p := &puzzle{
		items: [][]part{
			at(1, 0, 1, covered, false),
			at(0, 0, 0, covered, false), at(0, 0, 0, covered, false),
			at(0, 1, 2, free, false), at(0, 0, 2, covered, false), at(0, 0, 0, covered, false),
			at(0, 0, 0, free, broken), at(0, 0, 1, free, broken),
		},
		short: []int64{1, 4}, left: []int{1},
		measures: []exact.Measure{exact.ByViolations, exact.ByTop, exact.BySum, exact.ByParts, exact.ByStart},
	}
	for _, limit := range []int{1, math.MaxInt} {
		var s exact.Search
		p.ask(&s, limit)
		s.Solve()
		_, score, ok := s.Best()
		require.True(t, ok)
		require.Zero(t, score.Violations)
		require.Equal(t, int32(0), score.Top)
		if bound, open := s.Open(); open {
			require.LessOrEqual(t, bound.Top, int32(0))
		}
	}
}
