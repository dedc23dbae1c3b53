package packing

import (
	"slices"
)

// Relaxed is a bound that no placement beats, with the prices that show it.
type Relaxed struct {
	// Bound is a sum of weights, or a number of violations in units of Unit.
	Bound int64
	// Prices say what a place for one item of each kind is worth.
	Prices []int64
	// Likely has for each bin in how many good rounds something was placed there.
	Likely []int
	// Impossible is set where there is no place for every item, whoever leaves.
	Impossible bool
}

// Unit is one violation where violations alone count.
const Unit = 1 << 20

// Goal says what is to be bounded.
type Goal struct {
	// Violations is set where they alone count, and weights do not.
	Violations bool
	// Most restricts the placements to those with no more violations than this, where weights count. Below 0
	// all placements count.
	Most int
	// Upper is the sum for a known placement. It sets the length of the first steps.
	Upper int64
	// Prices are those to begin with, nil for none.
	Prices []int64
	// Patience is how many rounds in a row may bring no better bound, 0 for any number. Where weights
	// differ much, rounding can hide that prices have settled.
	Patience int
}

// relaxation is a search for prices: of a place for an item of each kind, of a turn in each
// budget, and of a violation.
type relaxation struct {
	*Problem
	goal   Goal
	meter  *Meter
	sacks  []*sack
	dive   *dive
	counts []int     // how many items there are of each kind
	sizes  []float64 // what an item of each kind takes of an average bin
	// prices are those of the moment: of the kinds, of a turn in each budget, and the fine for a violation.
	prices  []int64
	charges []int64
	fine    int64
	weights []int64 // memory for those of the leavers of one bin
	// budgets is set where budgets count.
	budgets bool
	// excess is by kind how many more items are placed than there are. overdrawn is by budget how many more
	// leavers take from it than it covers, and excessFines how many more violations there are than may be.
	excess, overdrawn []int64
	excessFines       int64
	// steep is more than the bound can gain by the price of a budget, and under marks the prices of budgets
	// that the point has below 0.
	steep float64
	under []bool
}

// Relax returns a bound by Lagrange's relaxation: whoever pays the price of each item need not
// place it, so that every bin is filled for itself, exactly. Any prices give a bound; the
// search follows the items that are placed too often or not at all. Time is that of a
// knapsack for each bin and round. The rounds end with the meter, and where prices settle.
func Relax(p *Problem, goal Goal, m *Meter) Relaxed {
	x := newRelaxation(p, goal, m)
	best := Relaxed{Prices: slices.Clone(x.prices), Likely: make([]int, len(p.Bins))}
	if m.stopped {
		return best
	}
	// Without a positive Upper there is nothing to bound: the known placement has the least sum that there is.
	if best.Impossible = x.impossible(); best.Impossible || goal.Upper <= 0 {
		return best
	}

	var b bundle
	worth := float64(goal.Upper+1) / (1 << 12)
	since := 0 // the last better bound
	for at, more := x.point(), true; more && !m.Spent() && best.Bound/4 <= goal.Upper; {
		if since++; goal.Patience > 0 && since > goal.Patience {
			break
		}
		below := x.setPrices(at)
		bound, height, complete := x.value()
		if !complete {
			break
		}
		if bound > best.Bound {
			best.Bound = bound
			best.Prices = slices.Clone(x.prices)
			since = 0
		}
		// Where prices are near the best ones, the bins that are filled are likely those of a good placement.
		if height >= best.Bound-best.Bound/8 {
			x.likely(best.Likely)
		}

		slope := x.slope()
		seen, tall := float64(bound)-below, float64(height)-below
		if b.cuts == nil {
			norm := dot(slope, slope)
			if norm == 0 { // no prices are better
				break
			}
			b.start(at, seen, float64(goal.Upper+1)/8/norm)
			b.add(slope, tall-seen)
		} else {
			b.tell(at, seen, tall, slope)
		}
		at, more = b.next(worth, m)

		// Knapsacks that were cut off leave more open than the next step promises, so they may take longer.
		if float64(height-bound) > max(b.ahead/8, worth) && x.dive.limit < mostNodes {
			x.dive.limit *= 2
		}
	}
	return best
}

// newRelaxation prepares a search. Where the meter is stopped, not all of its bins are there.
func newRelaxation(p *Problem, goal Goal, m *Meter) *relaxation {
	x := &relaxation{
		Problem: p, goal: goal, meter: m, dive: &dive{limit: 200, meter: m},
		prices: make([]int64, len(p.Kinds)), charges: make([]int64, len(p.Left)),
		excess: make([]int64, len(p.Kinds)), overdrawn: make([]int64, len(p.Left)),
	}
	x.budgets = goal.Violations || goal.Most >= 0
	switch {
	case goal.Violations:
		x.fine = Unit
	case goal.Most == 0:
		x.fine = 1 << 36 // more than any leaver weighs
	case goal.Most > 0:
		x.fine = goal.Upper / 2
	}

	for k := range p.Kinds {
		x.counts = append(x.counts, p.Kinds[k].Count)
	}
	for i := range p.Bins {
		if m.turn(p.turns(i)) {
			return x
		}
		x.sacks = append(x.sacks, newSack(p, &p.Bins[i]))
		x.steep += budgetSize * float64(len(p.Bins[i].Leavers))
	}
	x.sizes = sizes(p, m)
	x.setFirstPrices()
	return x
}

// setFirstPrices sets the prices to those of the goal. If it has none, all items are worth half of
// Upper together, each by its size.
func (x *relaxation) setFirstPrices() {
	if x.goal.Prices != nil {
		copy(x.prices, x.goal.Prices)
		return
	}
	total := 0.0
	for k, size := range x.sizes {
		total += size * float64(x.Kinds[k].Count)
	}
	for k, size := range x.sizes {
		if total > 0 {
			x.prices[k] = int64(float64(x.goal.Upper) / 2 * size / total)
		}
	}
}

// sizes returns what an item of each kind takes of an average bin, by the row of which it takes the largest
// share. A bin counts with what is free and with what all of its leavers free.
func sizes(p *Problem, m *Meter) []float64 {
	size := make([]float64, len(p.Kinds))
	if len(p.Bins) == 0 {
		return size
	}

	offered := make([]float64, len(p.Bins[0].Free))
	for i := range p.Bins {
		if m.turn(p.turns(i)) {
			break
		}
		b := &p.Bins[i]
		for r, free := range b.Free {
			offered[r] += float64(max(0, free))
		}
		for v := range b.Leavers {
			for r, amount := range b.Leavers[v].Holds {
				offered[r] += float64(amount)
			}
		}
	}

	// The average bin offers what all offer, divided by their number.
	for k := range p.Kinds {
		for r, need := range p.Kinds[k].Needs {
			if need > 0 && offered[r] > 0 {
				size[k] = max(size[k], float64(need)/offered[r]*float64(len(p.Bins)))
			}
		}
	}
	return size
}

// likely counts the bins in which something is placed.
func (x *relaxation) likely(rounds []int) {
	for i, s := range x.sacks {
		x.meter.turn(1 + len(x.Kinds))
		if !s.best.empty() {
			rounds[i]++
		}
	}
}

// impossible reports whether some kind has more items than all bins take of it together. It returns false where
// the meter is stopped, because nothing is known then.
func (x *relaxation) impossible() bool {
	for k := range x.Kinds {
		room := 0
		for _, s := range x.sacks {
			if x.meter.turn(1) {
				return false
			}
			room += s.most[k]
		}
		if room < x.Kinds[k].Count {
			return true
		}
	}
	return false
}

// weigh returns the weights of the leavers of a bin by the prices of the moment. A leaver takes a turn in each of
// its budgets, or pays the fine where that is cheaper.
func (x *relaxation) weigh(b *Bin) []int64 {
	x.weights = x.weights[:0]
	for v := range b.Leavers {
		l := &b.Leavers[v]
		w := int64(0)
		if !x.goal.Violations {
			w = l.Weight
		}
		if x.budgets {
			w += min(x.fine, x.charged(l))
		}
		x.weights = append(x.weights, w)
	}
	return x.weights
}

// charged returns the price of a turn in all budgets of a leaver.
func (x *relaxation) charged(l *Leaver) int64 {
	sum := int64(0)
	for _, b := range l.Charges {
		sum += x.charges[b]
	}
	return sum
}

// value returns the bound by the prices of the moment, and counts how far the fillings are from what is
// asked. height is what the bound would be if each filling that was found were the best: the plane of the next
// slope has that height. complete is false where the meter ended it.
func (x *relaxation) value() (bound, height int64, complete bool) {
	// What all items, turns and violations cost together, if each is bought once.
	for k := range x.Kinds {
		x.excess[k] = -int64(x.Kinds[k].Count)
		bound += x.prices[k] * int64(x.Kinds[k].Count)
	}
	for b, left := range x.Left {
		x.overdrawn[b] = -max(0, left)
		bound -= x.charges[b] * max(0, left)
	}
	if !x.goal.Violations && x.budgets {
		x.excessFines = -int64(x.goal.Most)
		bound -= x.fine * int64(x.goal.Most)
	}

	// No bin gains more by these prices than its knapsack is worth.
	height = bound
	x.dive.setPrices(x.Problem, x.prices)
	for i, s := range x.sacks {
		if x.meter.Spent() {
			return 0, 0, false
		}
		value, upper := x.dive.solve(s, x.weigh(&x.Bins[i]), x.counts)
		bound -= upper
		height -= value
		for k, n := range s.best.Counts {
			x.excess[k] += int64(n)
		}
		if x.budgets {
			x.charge(s)
		}
	}
	return bound, height, true
}

// charge counts each leaver of the best filling of a bin against its budgets, or as a violation, as weigh has
// it.
func (x *relaxation) charge(s *sack) {
	for v, leaves := range s.best.Leaves {
		if !leaves || len(s.bin.Leavers[v].Charges) == 0 {
			continue
		}
		l := &s.bin.Leavers[v]
		if x.charged(l) >= x.fine {
			x.excessFines++
			continue
		}
		for _, b := range l.Charges {
			x.overdrawn[b]++
		}
	}
}

// point returns the prices as one point. Each is scaled to that of an item as large as a bin, so that a step of
// the same length means as much in every direction.
func (x *relaxation) point() []float64 {
	var at []float64
	for k, price := range x.prices {
		at = append(at, float64(price)/max(x.sizes[k], 1e-9))
	}
	if !x.budgets {
		return at
	}
	for _, price := range x.charges {
		at = append(at, float64(price)/budgetSize)
	}
	if !x.goal.Violations {
		at = append(at, float64(x.fine)/budgetSize)
	}
	return at
}

// setPrices sets the prices to a point. The price of a budget is not below 0. A point that has it there counts
// as lower, by more than any leaver could gain, and below is by how much.
func (x *relaxation) setPrices(at []float64) (below float64) {
	price := func(i int, size float64) int64 { return int64(min(max(at[i]*size, -(1<<40)), 1<<40)) }
	for k := range x.prices {
		x.prices[k] = price(k, max(x.sizes[k], 1e-9))
	}

	// Behind the kinds the point has the budgets, and the fine where it is a price.
	x.under = x.under[:0]
	for i := len(x.prices); i < len(at); i++ {
		x.under = append(x.under, at[i] < 0)
		below += float64(max(0, -at[i]) * x.steep)
	}
	if !x.budgets {
		return below
	}
	for b := range x.charges {
		x.charges[b] = max(0, price(len(x.prices)+b, budgetSize))
	}
	if !x.goal.Violations {
		x.fine = max(0, price(len(at)-1, budgetSize))
	}
	return below
}

// slope returns how the bound changes with each coordinate of the point: an item that is placed too often should
// cost less, a turn in a budget that is taken too often should cost more.
func (x *relaxation) slope() []float64 {
	var s []float64
	for k, excess := range x.excess {
		s = append(s, -float64(excess)*max(x.sizes[k], 1e-9))
	}
	if !x.budgets {
		return s
	}

	// A price below 0 counts as lower by steep, whatever the fillings are.
	excess := x.overdrawn
	if !x.goal.Violations {
		excess = append(slices.Clip(excess), x.excessFines)
	}
	for b, n := range excess {
		if x.under[b] {
			s = append(s, x.steep)
		} else {
			s = append(s, float64(n)*budgetSize)
		}
	}
	return s
}

// budgetSize stands in for the size of an item in the prices of budgets and violations: they move by this much
// where that of an item as large as a bin moves by 1.
const budgetSize = 0.25
