package packing

import (
	"slices"
)

// Relaxed is what no placement beats, with the prices that show it.
type Relaxed struct {
	// Bound is a sum of weights, or a number of violations in units of Unit.
	Bound int64
	// Prices are what a place for one item of each kind is worth.
	Prices []int64
	// Likely has for each bin in how many good rounds something was placed there.
	Likely []int
	// Impossible is set where there is no place for every item, whoever leaves.
	Impossible bool
}

// Unit is one violation where violations alone count.
const Unit = 1 << 20

// Goal is what a bound is about.
type Goal struct {
	// Violations is set where they alone count, and weights do not.
	Violations bool
	// Most bounds the violations of the placements that are meant, where weights count. It is
	// below 0 where any number will do.
	Most int
	// Upper is what a known placement comes to. It sets the length of the first steps.
	Upper int64
	// Prices to begin with, nil for none.
	Prices []int64
	// Patience is how many rounds in a row may bring no better bound, 0 for any number. Where weights
	// differ much, rounding can hide that prices have settled.
	Patience int
}

// relaxation is a search for prices: of a place for an item of each kind, of a turn in each
// budget, and of a violation.
type relaxation struct {
	*Problem
	goal    Goal
	m       *Meter
	sacks   []*sack
	dive    *dive
	all     []int
	size    []float64 // of a kind, its share of an average bin
	prices  []int64
	charges []int64
	fine    int64 // for a violation
	weights []int64
	budgets bool
	// off is how many items are placed beyond those that there are, by kind; overdrawn is
	// the same of leavers that a budget covers, and offFine of violations.
	off, overdrawn []int64
	offFine        int64
	// steep is more than the bound can gain by the price of a budget, and under marks those
	// below 0.
	steep float64
	under []bool
}

// Relax returns a bound by Lagrange's relaxation: whoever pays the price of each item need not
// place it, so that every bin is filled for itself, exactly. Any prices give a bound; the
// search follows the items that are placed too often or not at all. Time is that of a
// knapsack for each bin and round; the rounds end with the meter, or where prices settle.
func Relax(p *Problem, goal Goal, m *Meter) Relaxed {
	x := newRelaxation(p, goal, m)
	best := Relaxed{Prices: slices.Clone(x.prices), Likely: make([]int, len(p.Bins))}
	if m.stopped {
		return best
	}
	if best.Impossible = x.impossible(); best.Impossible || goal.Upper <= 0 {
		return best
	}
	var b bundle
	worth := float64(goal.Upper+1) / (1 << 12)
	since := 0
	for at, more := x.point(), true; more && !m.Spent() && best.Bound/4 <= goal.Upper; {
		if since++; goal.Patience > 0 && since > goal.Patience {
			break
		}
		below := x.take(at)
		bound, height, whole := x.value()
		if !whole {
			break
		}
		if bound > best.Bound {
			best.Bound, best.Prices, since = bound, slices.Clone(x.prices), 0
		}
		if height >= best.Bound-best.Bound/8 {
			x.likely(best.Likely)
		}
		slope := x.slope()
		seen, tall := float64(bound)-below, float64(height)-below
		if b.cuts == nil {
			norm := dot(slope, slope)
			if norm == 0 {
				break
			}
			b.start(at, seen, float64(goal.Upper+1)/8/norm)
			b.add(slope, tall-seen)
		} else {
			b.tell(at, seen, tall, slope)
		}
		at, more = b.next(worth, m)
		if float64(height-bound) > max(b.ahead/8, worth) && x.dive.limit < mostNodes {
			x.dive.limit *= 2
		}
	}
	return best
}

// newRelaxation prepares a search. Where the meter is stopped, not all of its bins are there.
func newRelaxation(p *Problem, goal Goal, m *Meter) *relaxation {
	x := &relaxation{Problem: p, goal: goal, m: m, dive: &dive{limit: 200, m: m}, prices: make([]int64, len(p.Kinds)),
		charges: make([]int64, len(p.Left)), off: make([]int64, len(p.Kinds)), overdrawn: make([]int64, len(p.Left))}
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
		x.all = append(x.all, p.Kinds[k].Count)
	}
	for i := range p.Bins {
		if m.turn(p.turns(i)) {
			return x
		}
		x.sacks = append(x.sacks, newSack(p, &p.Bins[i]))
		x.steep += budgetSize * float64(len(p.Bins[i].Leavers))
	}
	x.size = sizes(p, m)
	if goal.Prices != nil {
		copy(x.prices, goal.Prices)
		return x
	}
	total := 0.0
	for k, size := range x.size {
		total += size * float64(p.Kinds[k].Count)
	}
	for k, size := range x.size {
		if total > 0 {
			x.prices[k] = int64(float64(goal.Upper) / 2 * size / total)
		}
	}
	return x
}

// sizes returns the share of an average bin that each kind takes, of the row of which that is most.
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
		x.m.turn(1 + len(x.Kinds))
		if !s.best.empty() {
			rounds[i]++
		}
	}
}

// impossible reports whether some kind has more items than all bins take of it together, which is not known where
// the meter is stopped.
func (x *relaxation) impossible() bool {
	for k := range x.Kinds {
		room := 0
		for _, s := range x.sacks {
			if x.m.turn(1) {
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

// weigh returns what the leavers of a bin cost by the prices as they are.
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

func (x *relaxation) charged(l *Leaver) int64 {
	sum := int64(0)
	for _, b := range l.Charges {
		sum += x.charges[b]
	}
	return sum
}

// value returns the bound by the prices as they are, and how far the fillings are from what is
// asked. It returns false where the meter ended it.
func (x *relaxation) value() (bound, height int64, whole bool) {
	for k := range x.Kinds {
		x.off[k] = -int64(x.Kinds[k].Count)
		bound += x.prices[k] * int64(x.Kinds[k].Count)
	}
	for b, left := range x.Left {
		x.overdrawn[b] = -max(0, left)
		bound -= x.charges[b] * max(0, left)
	}
	if !x.goal.Violations && x.budgets {
		x.offFine = -int64(x.goal.Most)
		bound -= x.fine * int64(x.goal.Most)
	}
	height = bound
	x.dive.at(x.Problem, x.prices)
	for i, s := range x.sacks {
		if x.m.Spent() {
			return 0, 0, false
		}
		value, upper := x.dive.solve(s, x.weigh(&x.Bins[i]), x.all)
		bound, height = bound-upper, height-value
		for k, n := range s.best.Counts {
			x.off[k] += int64(n)
		}
		if x.budgets {
			x.charge(s)
		}
	}
	return bound, height, true
}

// charge counts who leaves a bin against the budgets, or as a violation.
func (x *relaxation) charge(s *sack) {
	for v, leaves := range s.best.Leaves {
		if !leaves || len(s.bin.Leavers[v].Charges) == 0 {
			continue
		}
		l := &s.bin.Leavers[v]
		if x.charged(l) >= x.fine {
			x.offFine++
			continue
		}
		for _, b := range l.Charges {
			x.overdrawn[b]++
		}
	}
}

// point tells the prices as one point: each by what it is for an item as large as a bin.
func (x *relaxation) point() []float64 {
	var at []float64
	for k, price := range x.prices {
		at = append(at, float64(price)/max(x.size[k], 1e-9))
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

// take sets the prices to a point. The price of a budget is not below 0: below is what a point
// with such a one loses, more than any leaver could bring.
func (x *relaxation) take(at []float64) (below float64) {
	price := func(i int, size float64) int64 { return int64(min(max(at[i]*size, -(1<<40)), 1<<40)) }
	for k := range x.prices {
		x.prices[k] = price(k, max(x.size[k], 1e-9))
	}
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

// slope tells how the bound changes with each price.
func (x *relaxation) slope() []float64 {
	var s []float64
	for k, off := range x.off {
		s = append(s, -float64(off)*max(x.size[k], 1e-9))
	}
	if !x.budgets {
		return s
	}
	off := x.overdrawn
	if !x.goal.Violations {
		off = append(slices.Clip(off), x.offFine)
	}
	for b, n := range off {
		if x.under[b] {
			s = append(s, x.steep)
		} else {
			s = append(s, float64(n)*budgetSize)
		}
	}
	return s
}

// budgetSize is how far prices of budgets move, beside those of an item as large as a bin.
const budgetSize = 0.25
