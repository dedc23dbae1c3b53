package exact_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/exact"
)

// somePuzzleByTiers draws a puzzle whose sets are compared by tiers first.
func somePuzzleByTiers(t *rapid.T, most int) *puzzle {
	p := somePuzzle(t, most, true)
	p.strict, p.left = false, nil
	for _, item := range p.items {
		item[0].budgets = nil
	}
	if rapid.IntRange(0, 3).Draw(t, "pods that are equal") == 0 {
		for i := 1; i < len(p.items); i++ {
			if p.items[i][0].top == p.items[i-1][0].top && rapid.Bool().Draw(t, "equal") {
				p.items[i][0] = p.items[i-1][0]
			}
		}
	}
	if p.sumIsColumn = rapid.Bool().Draw(t, "a sum is a column"); p.sumIsColumn {
		for _, item := range p.items {
			item[0].sums[0] = item[0].holds[0]
		}
	}
	if rapid.IntRange(0, 5).Draw(t, "together") == 0 {
		p.together = []int{rapid.IntRange(0, len(p.items)-1).Draw(t, "item")}
	}
	sums := []exact.Measure{exact.BySum, exact.BySecondSum}
	p.measures = append([]exact.Measure{exact.ByTiers}, sums[:rapid.IntRange(0, 2).Draw(t, "sums")]...)
	return p
}

// key has the compared values of a set: the numbers by tier, in some order of the tops, and
// sums.
func (p *puzzle) key(set []bool, tops []int32) []int64 {
	key := make([]int64, len(tops)+2)
	for i, item := range p.items {
		if set[i] {
			key[slices.Index(tops, item[0].top)]++
			for k := range p.measures[1:] {
				key[len(tops)+k] += item[0].sums[k]
			}
		}
	}
	return key
}

// bestByTiers tries all sets, of those that tie the one first that has the first item in which
// they differ.
func (p *puzzle) bestByTiers(tops []int32) (best []bool) {
	set := make([]bool, len(p.items))
	for n := 1<<len(set) - 1; n > 0; n-- {
		for i := range set {
			set[i] = n>>(len(set)-1-i)&1 == 1
		}
		if p.fits(set) && (best == nil || slices.Compare(p.key(set, tops), p.key(best, tops)) < 0) {
			best = slices.Clone(set)
		}
	}
	return best
}

// By tiers, the set is the best of all and the first of those that tie, and where the search
// ends early no set has fewer items than the bound says.
func TestPropertyTiers(t *testing.T) {
	for _, heavily := range []bool{false, true} {
		var s exact.Search
		opened := 0
		rapid.Check(t, func(t *rapid.T) {
			if heavily {
				defer exact.SearchHeavily()()
			}
			p := somePuzzleByTiers(t, 10)
			limit := math.MaxInt
			if rapid.Bool().Draw(t, "ends early") {
				limit = rapid.IntRange(1, 9).Draw(t, "limit")
			}
			p.ask(&s, limit)
			s.Solve()
			p.isSound(t, &s)
			set, _, ok := s.Best()
			tops, best, bound, proven := s.Tiers()
			want := p.bestByTiers(tops)
			require.Equal(t, want != nil, ok)
			if !ok {
				return
			}
			wantKey := p.key(want, tops)
			require.Equal(t, p.key(set, tops)[:len(tops)], best)
			if _, open := s.Open(); !open {
				require.Equal(t, want, set)
				require.True(t, proven)
			} else if proven {
				require.Equal(t, wantKey, p.key(set, tops))
			} else {
				opened++
			}
			require.LessOrEqual(t, slices.Compare(bound, wantKey[:len(tops)]), 0)
			if proven {
				require.Equal(t, best, bound)
			}
		})
		require.Positive(t, opened)
	}
}
