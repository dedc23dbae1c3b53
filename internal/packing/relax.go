package packing

import (
	"slices"
)

// Relaxed is a bound that no placement beats, with the prices that show it.
type Relaxed struct {
	// Bound is a lower bound on the weight of every placement or, if Goal.Violations is set, on its number of
	// violations times Unit.
	Bound int64
	// Prices has the price of a place for one item of each kind, with which Bound was found.
	Prices []int64
	// Likely counts for each bin the rounds with good prices in which something was placed there.
	Likely []int
	// Impossible says that not every item can have a place, even if all leavers leave.
	Impossible bool
}

// Unit is the weight of one violation if Goal.Violations is set.
const Unit = 1 << 20

// Goal says which value of a placement is to be bounded.
type Goal struct {
	// Violations says that only violations count, and weights do not.
	Violations bool
	// Most restricts the bound to placements with no more violations than this, if weights count. Below 0
	// it restricts nothing.
	Most int
	// Upper is the value of a known placement. It sets the length of the first steps.
	Upper int64
	// Prices are the prices to begin with. Nil lets the search choose them.
	Prices []int64
	// Patience is the number of rounds in a row that may bring no better bound; 0 means any number. It ends
	// searches whose prices have settled although rounding hides it, as happens if weights differ much.
	Patience int
}

// relaxation is a search for prices: of a place for an item of each kind, of a charge to each
// budget, and of a violation.
type relaxation struct {
	*Problem
	goal   Goal
	meter  *Meter
	sacks  []*sack
	dive   *dive
	counts []int     // the number of items of each kind
	sizes  []float64 // the part of an average bin that an item of each kind takes
	// prices, charges and fine are the present prices: of an item of each kind, of a charge to each budget, and
	// of a violation.
	prices  []int64
	charges []int64
	fine    int64
	weights []int64 // memory for the weights of the leavers of one bin
	// budgets says that budgets and violations count for the goal.
	budgets bool
	// excess counts for each kind how many more items are placed than there are. overdrawn counts for each
	// budget how many more leavers take from it than it covers. excessFines counts the violations beyond
	// Goal.Most. All may be negative.
	excess, overdrawn []int64
	excessFines       int64
	// steep is a penalty for each unit by which the price of a budget is below 0, more than the bound could
	// gain there. under marks the prices of budgets that the present point has below 0.
	steep float64
	under []bool
}

// Relax returns a bound by Lagrangian relaxation: instead of placing each item exactly once, bins are paid its
// price for each item that they take. So every bin is filled independently, and exactly. Any prices give a
// bound; the search lowers prices of items that are placed too often and raises prices of items that are left
// over. Each round solves a knapsack for each bin. The rounds end with the meter, or when prices settle.
func Relax(p *Problem, goal Goal, m *Meter) Relaxed {
	x := newRelaxation(p, goal, m)
	best := Relaxed{Prices: slices.Clone(x.prices), Likely: make([]int, len(p.Bins))}
	if m.stopped {
		return best
	}
	// If Upper is not positive there is nothing to bound: no placement has a lower value than the known one.
	if best.Impossible = x.impossible(); best.Impossible || goal.Upper <= 0 {
		return best
	}

	var b bundle
	worth := float64(goal.Upper+1) / (1 << 12)
	since := 0 // rounds since the last better bound
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
		// With prices near the best ones, the bins that are filled are likely to be filled in a good placement,
		// too.
		if height >= best.Bound-best.Bound/8 {
			x.likely(best.Likely)
		}

		slope := x.slope()
		seen, tall := float64(bound)-below, float64(height)-below
		if b.cuts == nil {
			norm := dot(slope, slope)
			if norm == 0 { // a slope of 0 means that no prices are better
				break
			}
			b.start(at, seen, float64(goal.Upper+1)/8/norm)
			b.add(slope, tall-seen)
		} else {
			b.tell(at, seen, tall, slope)
		}
		at, more = b.next(worth, m)

		// If knapsacks that were cut off leave more open than the next step promises, they may take longer.
		if float64(height-bound) > max(b.ahead/8, worth) && x.dive.limit < mostNodes {
			x.dive.limit *= 2
		}
	}
	return best
}

// newRelaxation prepares a search. If the meter stops meanwhile, it has not all bins and must not be used.
func newRelaxation(p *Problem, goal Goal, m *Meter) *relaxation {
	x := &relaxation{
		Problem: p, goal: goal, meter: m, dive: &dive{limit: 200, meter: m},
		prices: make([]int64, len(p.Kinds)), charges: make([]int64, len(p.Left)),
		excess: make([]int64, len(p.Kinds)), overdrawn: make([]int64, len(p.Left)),
	}

	// The first fine follows from the goal. With Most 0 it keeps every violation out.
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

// setFirstPrices sets the prices to the goal's. If it has none, the prices of all items add up to half of
// Upper, in proportion to their sizes.
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

// sizes returns for each kind the part of an average bin that an item takes, in the row of which it takes the
// largest part. A bin counts with its free room and with the amounts of all its leavers.
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

	// The average bin offers the total of all bins divided by their number.
	for k := range p.Kinds {
		for r, need := range p.Kinds[k].Needs {
			if need > 0 && offered[r] > 0 {
				size[k] = max(size[k], float64(need)/offered[r]*float64(len(p.Bins)))
			}
		}
	}
	return size
}

// likely adds 1 to the rounds of each bin that has items in the present fillings.
func (x *relaxation) likely(rounds []int) {
	for i, s := range x.sacks {
		x.meter.turn(1 + len(x.Kinds))
		if !s.best.empty() {
			rounds[i]++
		}
	}
}

// impossible reports whether some kind has more items than all bins can take together. It returns false if
// the meter stops, because nothing is known then.
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

// weigh returns the weights of the leavers of a bin at the present prices. A leaver pays the charges of all
// its budgets, or the fine if that is cheaper.
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

// charged returns the sum of the charges of all budgets of a leaver.
func (x *relaxation) charged(l *Leaver) int64 {
	sum := int64(0)
	for _, b := range l.Charges {
		sum += x.charges[b]
	}
	return sum
}

// value returns the bound for the present prices, and sets excess, overdrawn and excessFines. height is what
// the bound would be if each filling that was found were the best; the plane of the next slope has that height.
// complete is false if the meter ended the search.
func (x *relaxation) value() (bound, height int64, complete bool) {
	// All items are bought once at their prices, less all charges and violations that are allowed at theirs.
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

	// No bin gains more at these prices than the bound of its knapsack.
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

// charge counts each leaver of the best filling of a bin against its budgets, or as a violation if, as in
// weigh, the fine is cheaper.
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

// point returns the prices as one point. Each is scaled to the price of an item as large as a bin, so that
// steps of equal length mean the same in every direction.
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

// setPrices sets the prices to a point. Charges and the fine are never below 0. If the point has one below 0,
// its value counts as lower by a penalty that exceeds what leavers could gain; below is the sum of these
// penalties.
func (x *relaxation) setPrices(at []float64) (below float64) {
	price := func(i int, size float64) int64 { return int64(min(max(at[i]*size, -(1<<40)), 1<<40)) }
	for k := range x.prices {
		x.prices[k] = price(k, max(x.sizes[k], 1e-9))
	}

	// After the kinds the point has the budgets and, unless only violations count, the fine.
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

// slope returns how the bound changes with each coordinate of the point: an item that is placed too often
// should have a lower price, a budget that is charged too often a higher one.
func (x *relaxation) slope() []float64 {
	var s []float64
	for k, excess := range x.excess {
		s = append(s, -float64(excess)*max(x.sizes[k], 1e-9))
	}
	if !x.budgets {
		return s
	}

	// Where a price is below 0, the penalty alone decides the slope.
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

// budgetSize is the scale of the prices of budgets and violations: such a price moves by this much when the
// price of an item as large as a bin moves by 1.
const budgetSize = 0.25
