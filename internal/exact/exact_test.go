package exact_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/exact"
)

// part is a part of an item of a puzzle.
type part struct {
	top, start int32
	holds      []int64
	sums       [2]int64
	budgets    []int // that it takes from
	broken     bool  // it violates a budget in any case
}

// puzzle is a question with its host, who knows of every set what the search has to find out.
type puzzle struct {
	items    [][]part
	short    []int64
	left     []int
	measures []exact.Measure
	strict   bool
	// together lists items that every set has to have, and apart items that no set may have
	// both of.
	together []int
	apart    [][2]int
	// sumIsColumn is set where the first sum is that of the first column.
	sumIsColumn bool

	q     *exact.Question
	away  []bool
	asked int // answers about sets
}

// somePuzzle draws one. With plain, amounts alone decide and every figure is in the tables.
func somePuzzle(t *rapid.T, most int, plain bool) *puzzle {
	p := &puzzle{strict: rapid.IntRange(0, 4).Draw(t, "strict") == 0}
	columns := rapid.IntRange(1, 3).Draw(t, "columns")
	rare := func(name string) bool { return !plain && rapid.IntRange(0, 5).Draw(t, name) == 0 }
	if rare("many columns") {
		columns = exact.MostDims + 1
	}
	for range rapid.IntRange(0, 3).Draw(t, "budgets") {
		p.left = append(p.left, rapid.IntRange(0, 2).Draw(t, "left"))
	}
	overlaps, largest := rare("overlaps"), rapid.SampledFrom([]int64{1, 3, 12}).Draw(t, "largest")
	onePart := rare("parts are several")
	for range rapid.IntRange(1, most).Draw(t, "items") {
		var item []part
		parts := 1
		if onePart {
			parts = rapid.IntRange(1, 2).Draw(t, "parts")
		}
		for range parts {
			x := part{top: rapid.Int32Range(0, 3).Draw(t, "top"), start: rapid.Int32Range(0, 5).Draw(t, "start")}
			for range columns {
				x.holds = append(x.holds, rapid.Int64Range(0, largest).Draw(t, "holds"))
			}
			for k := range x.sums {
				x.sums[k] = rapid.Int64Range(0, 4).Draw(t, "sum")
			}
			for b := range p.left {
				if (len(x.budgets) == 0 || overlaps) && rapid.IntRange(0, 2).Draw(t, "in budget") == 0 {
					x.budgets = append(x.budgets, b)
				}
			}
			x.broken = len(x.budgets) == 0 && rapid.IntRange(0, 9).Draw(t, "broken") == 0
			item = append(item, x)
		}
		p.items = append(p.items, item)
	}
	if !rare("items in any order") {
		for _, item := range p.items {
			slices.SortStableFunc(item, func(a, b part) int { return cmp.Compare(b.top, a.top) })
		}
		slices.SortStableFunc(p.items, func(a, b []part) int { return cmp.Compare(b[0].top, a[0].top) })
	}
	for k := range columns {
		sum := int64(0)
		for _, item := range p.items {
			for _, x := range item {
				sum += x.holds[k]
			}
		}
		p.short = append(p.short, rapid.Int64Range(1, max(1, sum)+1).Draw(t, "short"))
	}
	if rare("a shortage without bound") {
		p.short[0] = math.MaxInt64
		p.items[0][0].holds[0] = math.MaxInt64
	}
	p.measures = rapid.Permutation([]exact.Measure{
		exact.ByViolations, exact.ByTop, exact.BySum, exact.ByParts, exact.BySecondSum, exact.ByStart,
	}).Draw(t, "measures")[:rapid.IntRange(1, 6).Draw(t, "so many")]
	if rapid.Bool().Draw(t, "usual measures") {
		p.measures = []exact.Measure{exact.ByViolations, exact.ByTop, exact.BySum, exact.ByParts, exact.ByStart}
	}
	item := func() int { return rapid.IntRange(0, len(p.items)-1).Draw(t, "item") }
	if rare("together") {
		p.together = []int{item(), item()}
	}
	if rare("apart") {
		p.apart = [][2]int{{item(), item()}, {item(), item()}}
	}
	return p
}

func (p *puzzle) Leave(item int32)  { p.away[item] = true }
func (p *puzzle) Return(item int32) { p.away[item] = false }
func (p *puzzle) Fits() bool        { p.asked++; return p.fits(p.away) }
func (p *puzzle) Allows() bool      { return p.allows(p.away) }

func (p *puzzle) allows(set []bool) bool {
	return !slices.ContainsFunc(p.together, func(i int) bool { return !set[i] }) &&
		!slices.ContainsFunc(p.apart, func(pair [2]int) bool { return set[pair[0]] && set[pair[1]] })
}

func (p *puzzle) fits(set []bool) bool {
	for k, short := range p.short {
		for i := range p.items {
			for _, x := range p.items[i] {
				if set[i] {
					short -= min(short, x.holds[k])
				}
			}
		}
		if short > 0 {
			return false
		}
	}
	return p.allows(set)
}

// broken marks the items of a set with a part that violates a budget, and counts such parts. A
// part takes from its budgets up to the first that it violates.
func (p *puzzle) broken(set, marks []bool) (violations int64) {
	left := slices.Clone(p.left)
	for i := range p.items {
		for _, x := range p.items[i] {
			broken := x.broken && set[i]
			for _, b := range x.budgets {
				if set[i] && !broken {
					left[b]--
					broken = left[b] < 0
				}
			}
			if broken {
				violations++
				marks[i] = true
			}
		}
	}
	return violations
}

func (p *puzzle) Violating(marks []bool) {
	all := make([]bool, len(p.items))
	for i := range all {
		all[i] = true
	}
	p.broken(all, marks)
}

func (p *puzzle) Spared(set []bool) {
	for i := range set {
		if set[i] = false; !p.fits(set) {
			set[i] = true
		}
	}
}

func (p *puzzle) Score(set []bool) (sc exact.Score) {
	sc.Violations = p.broken(set, make([]bool, len(set)))
	highest := int32(math.MinInt32)
	for i := range p.items {
		for _, x := range p.items[i] {
			if !set[i] {
				continue
			}
			if sc.Parts++; sc.Parts == 1 {
				sc.Top = x.top
			}
			sc.Sums[0], sc.Sums[1] = sc.Sums[0]+x.sums[0], sc.Sums[1]+x.sums[1]
			if x.top > highest || x.top == highest && int64(x.start) < sc.Start.Sec {
				highest, sc.Start.Sec = x.top, int64(x.start)
			}
		}
	}
	return sc
}

// compare orders scores, in words of its own.
func (p *puzzle) compare(a, b exact.Score) int {
	for _, m := range p.measures {
		order := 0
		switch m {
		case exact.ByViolations:
			order = cmp.Compare(a.Violations, b.Violations)
		case exact.ByTop:
			order = cmp.Compare(a.Top, b.Top)
		case exact.BySum:
			order = cmp.Compare(a.Sums[0], b.Sums[0])
		case exact.BySecondSum:
			order = cmp.Compare(a.Sums[1], b.Sums[1])
		case exact.ByParts:
			order = cmp.Compare(a.Parts, b.Parts)
		case exact.ByStart:
			order = cmp.Compare(b.Start.Sec, a.Start.Sec)
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// best tries all sets.
func (p *puzzle) best() (best exact.Score, found bool) {
	set := make([]bool, len(p.items))
	for n := 1; n < 1<<len(set); n++ {
		for i := range set {
			set[i] = n>>i&1 == 1
		}
		if !p.fits(set) {
			continue
		}
		sc := p.Score(set)
		if (!p.strict || sc.Violations == 0) && (!found || p.compare(sc, best) < 0) {
			best, found = sc, true
		}
	}
	return best, found
}

// ask fills in the question.
func (p *puzzle) ask(s *exact.Search, limit int) {
	q := s.Ask(p)
	p.q = q
	p.away = make([]bool, len(p.items))
	for i := range p.away {
		p.away[i] = true
	}
	q.Measures, q.Strict, q.Limit, q.SlowLimit = append(q.Measures, p.measures...), p.strict, limit, limit
	q.Helps, q.Gains, q.Asked = p.fits(p.away), len(p.apart) == 0, len(p.apart)+len(p.together) > 0
	columns := map[int]int{}
	for k, short := range p.short {
		if c, ok := q.AddShort(short); ok {
			columns[k] = c
		}
	}
	if c, ok := columns[0]; ok && p.sumIsColumn {
		q.SumColumns[0] = c + 1
	}
	q.Left = q.Left[:0]
	for _, n := range p.left {
		q.Left = append(q.Left, int64(n))
	}
	parts := int32(0)
	for _, item := range p.items {
		it := exact.Item{From: parts, To: parts + int32(len(item)), Top: item[0].top, Start: exact.Instant{Sec: math.MaxInt64}}
		parts = it.To
		for _, x := range item {
			it.Above = it.Above || x.top > it.Top
			start := exact.Instant{Sec: int64(x.start)}
			if x.top == it.Top && start.Before(it.Start) {
				it.Start = start
			}
			if q.Latest.Before(start) {
				q.Latest = start
			}
			for k, c := range columns {
				q.Hold(&it, c, x.holds[k])
			}
			it.Sums[0], it.Sums[1] = it.Sums[0]+x.sums[0], it.Sums[1]+x.sums[1]
			charge := int32(-1)
			switch {
			case len(x.budgets) > 1:
				q.Overlaps = true
			case len(x.budgets) == 1:
				charge = int32(x.budgets[0])
			case x.broken:
				it.Fixed++
			}
			q.Charges = append(q.Charges, charge)
		}
		q.Items = append(q.Items, it)
	}
}

// isSound holds an answer to the puzzle: the set is one, nobody is away afterwards, and the
// budgets are as before.
func (p *puzzle) isSound(t *rapid.T, s *exact.Search) {
	set, score, ok := s.Best()
	require.NotContains(t, p.away, true)
	for b, n := range p.left {
		require.Equal(t, int64(n), p.q.Left[b])
	}
	if !ok {
		return
	}
	require.True(t, p.fits(set))
	require.Equal(t, p.Score(set), score)
	require.False(t, p.strict && score.Violations > 0)
}

// No set of all that there are is better than the one that is found, whatever the measures, and
// the same search asks the same again.
func TestPropertyNoSetIsBetter(t *testing.T) {
	for _, plain := range []bool{true, false} {
		for _, heavily := range []bool{true, false} {
			var s exact.Search
			rapid.Check(t, func(t *rapid.T) {
				if heavily {
					defer exact.SearchHeavily()()
				}
				p := somePuzzle(t, 9, plain)
				want, found := p.best()
				p.ask(&s, math.MaxInt)
				s.Solve()
				p.isSound(t, &s)
				set, score, ok := s.Best()
				require.Equal(t, found, ok)
				require.True(t, !found || p.compare(want, score) == 0, "want %+v, got %+v", want, score)
				_, open := s.Open()
				require.False(t, open)
				set, steps, asked := slices.Clone(set), s.Steps(), p.asked

				p.asked = 0
				p.ask(&s, math.MaxInt)
				s.Solve()
				again, _, _ := s.Best()
				require.Equal(t, set, again)
				require.Equal(t, steps, s.Steps())
				require.Equal(t, asked, p.asked)
			})
		}
	}
}

// A search that ends early takes as many steps as it may, and no set beats its bound.
func TestPropertyBoundsAreTrue(t *testing.T) {
	var s exact.Search
	opened := 0
	rapid.Check(t, func(t *rapid.T) {
		p := somePuzzle(t, 9, rapid.Bool().Draw(t, "plain"))
		limit := rapid.IntRange(1, 9).Draw(t, "limit")
		want, found := p.best()
		p.ask(&s, limit)
		s.Solve()
		p.isSound(t, &s)
		_, score, ok := s.Best()
		bound, open := s.Open()
		if !open {
			require.LessOrEqual(t, s.Steps(), limit)
			require.Equal(t, found, ok)
			require.True(t, !found || p.compare(want, score) == 0, "want %+v, got %+v", want, score)
			return
		}
		opened++
		require.Equal(t, limit, s.Steps())
		if found {
			require.LessOrEqual(t, p.compare(bound, want), 0, "%+v is better than the bound %+v", want, bound)
		}
	})
	require.Positive(t, opened)
}

// Where four columns and twelve budgets keep a search from its end, the bound on violations is
// near what was found: it was 0 where each column was asked by itself, and of spent budgets alone.
func TestViolationsAreBounded(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(1, seed))
		p := &puzzle{measures: []exact.Measure{exact.ByViolations, exact.ByTop, exact.BySum, exact.ByParts, exact.ByStart}}
		for range 12 {
			p.left = append(p.left, r.IntN(3))
		}
		var sums [4]int64
		for range 110 {
			x := part{top: r.Int32N(5), start: r.Int32N(100), budgets: []int{r.IntN(len(p.left))}}
			if r.IntN(4) == 0 {
				x.budgets, x.broken = nil, true
			}
			x.sums[0] = int64(x.top) + 10
			for k := range sums {
				x.holds = append(x.holds, r.Int64N(1000)+1)
				sums[k] += x.holds[k]
			}
			p.items = append(p.items, []part{x})
		}
		for k := range sums {
			p.short = append(p.short, sums[k]*(30+r.Int64N(30))/100)
		}
		var s exact.Search
		p.ask(&s, 50_000)
		s.Solve()
		_, score, found := s.Best()
		bound, open := s.Open()
		require.True(t, found && open)
		require.Greater(t, score.Violations, int64(15))
		require.GreaterOrEqual(t, bound.Violations, score.Violations*5/6, "seed %d", seed)
	}
}
