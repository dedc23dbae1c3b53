package packing_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/packing"
	"github.com/outrank-go/outrank/internal/tests/seeded"
)

// unit is what a leaver weighs about.
const unit = 1 << 31

// drawProblem draws a problem of which every placement can be tried.
func drawProblem(t *rapid.T) *packing.Problem {
	rows := rapid.IntRange(1, 3).Draw(t, "rows")
	amounts := func(label string, least, most int) []int64 {
		out := make([]int64, rows)
		for r := range out {
			out[r] = int64(rapid.IntRange(least, most).Draw(t, label))
		}
		return out
	}
	p := &packing.Problem{}
	full := rapid.Bool().Draw(t, "full") // so that somebody has to leave
	least, free, leavers := 0, -2, 0
	if full {
		least, free, leavers = 1, 0, 2
	}
	for range rapid.IntRange(1, 3).Draw(t, "kinds") {
		p.Kinds = append(p.Kinds, packing.Kind{Needs: amounts("needs", least, 4), Count: rapid.IntRange(1, 3).Draw(t, "count")})
	}
	budgets := rapid.IntRange(0, 2).Draw(t, "budgets")
	for range budgets {
		p.Left = append(p.Left, int64(rapid.IntRange(0, 1).Draw(t, "left")))
	}
	alike := rapid.Bool().Draw(t, "alike")
	for range rapid.IntRange(0, 3).Draw(t, "bins") {
		b := packing.Bin{Free: amounts("free", free, 2-free)}
		if rapid.IntRange(0, 3).Draw(t, "some refused") == 0 {
			b.Refuses = rapid.SliceOfN(rapid.Bool(), len(p.Kinds), len(p.Kinds)).Draw(t, "refuses")
		}
		for range rapid.IntRange(leavers, 4).Draw(t, "leavers") {
			l := packing.Leaver{Holds: amounts("holds", least, 4), Weight: unit}
			if !alike {
				l.Weight += int64(rapid.SampledFrom([]int{0, 1000, unit / 2}).Draw(t, "more"))
			}
			for k := range budgets {
				if rapid.Bool().Draw(t, "covered") {
					l.Charges = append(l.Charges, int32(k))
				}
			}
			b.Leavers = append(b.Leavers, l)
		}
		p.Bins = append(p.Bins, b)
	}
	return p
}

// fits reports whether a filling of a bin is one: of each row that its items ask for there is
// enough with the leavers gone, and no item is refused.
func fits(p *packing.Problem, bin int, f *packing.Filling) bool {
	b := &p.Bins[bin]
	for r, free := range b.Free {
		need := int64(0)
		for k, n := range f.Counts {
			need += int64(n) * p.Kinds[k].Needs[r]
			if n > 0 && b.Refuses != nil && b.Refuses[k] {
				return false
			}
		}
		for v, leaves := range f.Leaves {
			if leaves {
				free += b.Leavers[v].Holds[r]
			}
		}
		if need > 0 && need > free {
			return false
		}
	}
	return true
}

// cost is what leavers come to: the weight, and who is beyond what a budget has left.
func cost(p *packing.Problem, fillings []packing.Filling) (weight, violations int64) {
	taken := make([]int64, len(p.Left))
	for i := range fillings {
		for v, leaves := range fillings[i].Leaves {
			if !leaves {
				continue
			}
			l := &p.Bins[i].Leavers[v]
			weight += l.Weight
			over := false
			for _, b := range l.Charges {
				taken[b]++
				over = over || taken[b] > p.Left[b]
			}
			if over {
				violations++
			}
		}
	}
	return weight, violations
}

// best are the least figures of all placements: the violations; and for each number of violations
// the weight with no more than those, MaxInt64 for none.
type best struct {
	violations int64
	weight     []int64
}

// tryAll goes through every placement. Of the ways to leave a bin for the same items, all count:
// the order in which budgets are charged changes who violates, and so their number where budgets
// overlap, so that the least is taken over the orders of the bins as they stand.
func tryAll(p *packing.Problem) best {
	most := 0
	for i := range p.Bins {
		most += len(p.Bins[i].Leavers)
	}
	out := best{math.MaxInt64, slices.Repeat([]int64{math.MaxInt64}, most+1)}
	left := make([]int, len(p.Kinds))
	for k := range p.Kinds {
		left[k] = p.Kinds[k].Count
	}
	fillings := make([]packing.Filling, len(p.Bins))
	var from func(bin int)
	from = func(bin int) {
		if bin == len(p.Bins) {
			if slices.Max(left) > 0 {
				return
			}
			weight, violations := cost(p, fillings)
			out.violations = min(out.violations, violations)
			for n := violations; n < int64(len(out.weight)); n++ {
				out.weight[n] = min(out.weight[n], weight)
			}
			return
		}
		f := packing.Filling{Counts: make([]int, len(left)), Leaves: make([]bool, len(p.Bins[bin].Leavers))}
		var kinds func(k int)
		kinds = func(k int) {
			if k < len(left) {
				had := left[k]
				for n := 0; n <= had; n++ {
					f.Counts[k], left[k] = n, had-n
					kinds(k + 1)
				}
				f.Counts[k], left[k] = 0, had
				return
			}
			for mask := range 1 << len(f.Leaves) {
				for v := range f.Leaves {
					f.Leaves[v] = mask>>v&1 == 1
				}
				if fits(p, bin, &f) {
					fillings[bin] = packing.Filling{Counts: slices.Clone(f.Counts), Leaves: slices.Clone(f.Leaves)}
					from(bin + 1)
				}
			}
		}
		kinds(0)
	}
	from(0)
	return out
}

func meter() *packing.Meter { return &packing.Meter{Limit: 20_000} }

// No placement weighs less than the bound, with any number of violations or with few, and none has fewer
// violations than theirs.
func TestPropertyBound(t *testing.T) {
	tight, guarded, all := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		b := tryAll(p)
		upper := int64(rapid.IntRange(1, 12).Draw(t, "upper")) * unit
		plain := packing.Relax(p, packing.Goal{Most: -1, Upper: upper}, meter())
		if least := b.weight[len(b.weight)-1]; least < math.MaxInt64 {
			require.False(t, plain.Impossible)
			require.LessOrEqual(t, plain.Bound, least)
			if all++; plain.Bound > least-unit && least > 0 {
				tight++
			}
			most := int64(rapid.IntRange(0, min(2, len(b.weight)-1)).Draw(t, "most"))
			few := packing.Relax(p, packing.Goal{Most: int(most), Upper: upper, Prices: plain.Prices}, meter())
			require.LessOrEqual(t, few.Bound, b.weight[most])
			if b.weight[most] < math.MaxInt64 && few.Bound > least+unit/4 {
				guarded++
			}
			violations := packing.Relax(p, packing.Goal{Violations: true, Upper: upper / unit * packing.Unit}, meter())
			require.LessOrEqual(t, (violations.Bound+packing.Unit-1)/packing.Unit, b.violations)
		}
	})
	if !t.Failed() {
		t.Logf("of %d bounds %d are as good as the optimum, %d more than it with few violations", all, tight, guarded)
		require.Greater(t, tight, all*3/4)
		require.Positive(t, guarded)
	}
}

// A placement has a place for every item, its figures are true, and it is about as good as any.
func TestPropertyPlace(t *testing.T) {
	same, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		placed, best := placeTruly(t, drawProblem(t))
		if placed {
			all++
		}
		if best {
			same++
		}
	})
	if t.Failed() {
		return
	}
	t.Logf("of %d placements %d are the best", all, same)
	require.Positive(t, same)
	if !testing.Short() { // a share of few says little
		require.Greater(t, same, all*9/10)
	}
}

// placeTruly places the items of a problem, and reports whether there is a placement and whether it
// is the best one.
func placeTruly(t *rapid.T, p *packing.Problem) (placed, best bool) {
	b := tryAll(p)
	from := packing.Relax(p, packing.Goal{Most: -1, Upper: 4 * unit}, meter())
	got := packing.Place(p, from, packing.Aim{Rounds: 30}, meter())
	if got == nil {
		return false, false
	}
	require.Less(t, b.weight[len(b.weight)-1], int64(math.MaxInt64))
	counts := make([]int, len(p.Kinds))
	for i := range got.Fillings {
		require.True(t, fits(p, i, &got.Fillings[i]), "bin %d: %v", i, got.Fillings[i])
		for k, n := range got.Fillings[i].Counts {
			counts[k] += n
		}
	}
	for k, n := range counts {
		require.Equal(t, p.Kinds[k].Count, n)
	}
	weight, violations := cost(p, got.Fillings)
	require.Equal(t, weight, got.Weight)
	require.Equal(t, violations, got.Violations)
	require.Equal(t, got, packing.Place(p, from, packing.Aim{Rounds: 30}, meter()), "the same again")
	return true, got.Violations == b.violations && got.Weight == b.weight[b.violations]
}

// manyKinds is a problem whose placements cannot be tried.
func manyKinds(kinds int) *packing.Problem {
	p := &packing.Problem{}
	for k := range kinds {
		p.Kinds = append(p.Kinds, packing.Kind{Needs: []int64{int64(50 + k*83/kinds), int64(90 - k*53/kinds)}, Count: 20})
	}
	for i := range 60 {
		b := packing.Bin{Free: []int64{5, 5}}
		for v := range 12 {
			b.Leavers = append(b.Leavers, packing.Leaver{Holds: []int64{int64(20 + (i*7+v*13)%50), int64(20 + (i*11+v*5)%50)}, Weight: unit + int64(v)})
		}
		p.Bins = append(p.Bins, b)
	}
	return p
}

// oneOfEach is such a problem with an item of each kind.
func oneOfEach(kinds int) *packing.Problem {
	p := manyKinds(kinds)
	for k := range p.Kinds {
		p.Kinds[k].Count = 1
	}
	return p
}

// With many kinds prices take many rounds, and the bound is not far below what is placed.
func TestManyKinds(t *testing.T) {
	p := oneOfEach(seeded.Sample(20, 40))
	from := packing.Relax(p, packing.Goal{Most: -1, Upper: 60 * unit}, &packing.Meter{Limit: 400_000})
	got := packing.Place(p, from, packing.Aim{Rounds: 200}, &packing.Meter{Limit: 400_000})
	require.NotNil(t, got)
	require.LessOrEqual(t, from.Bound, got.Weight)
	require.GreaterOrEqual(t, from.Bound, got.Weight*3/4)
}

// A search ends where it is told to, and not before: it asks no more then.
func TestStop(t *testing.T) {
	p := manyKinds(12)
	for _, calls := range []int{1, 5, 20} {
		left := 0
		limited := func() *packing.Meter {
			left = calls
			return &packing.Meter{Limit: math.MaxInt, Stop: func() bool {
				left--
				return left <= 0
			}}
		}
		m := limited()
		from := packing.Relax(p, packing.Goal{Most: -1, Upper: 400 * unit}, m)
		require.Zero(t, left)
		require.LessOrEqual(t, m.Steps, calls*4096)
		m = limited()
		packing.Place(p, from, packing.Aim{Rounds: math.MaxInt}, m)
		require.Zero(t, left)
		require.LessOrEqual(t, m.Steps, calls*4096)
	}
}

// Less patience ends the search for prices earlier, with a bound that is one all the same.
func TestPatience(t *testing.T) {
	p := oneOfEach(30)
	var steps []int
	var bounds []int64
	for _, patience := range []int{0, 4, 1} {
		m := &packing.Meter{Limit: 400_000}
		bounds = append(bounds, packing.Relax(p, packing.Goal{Most: -1, Upper: 60 * unit, Patience: patience}, m).Bound)
		steps = append(steps, m.Steps)
	}
	require.Less(t, steps[1], steps[0])
	require.Less(t, steps[2], steps[1])
	require.LessOrEqual(t, bounds[1], bounds[0])
	require.LessOrEqual(t, bounds[2], bounds[1])
	require.Positive(t, bounds[1])
}
