package packing

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Placement has a filling for each bin such that every item has a place. Weight and Violations are those of all
// leavers that leave.
type Placement struct {
	Fillings           []Filling
	Weight, Violations int64
}

// beats reports whether a placement is better than another: it has fewer violations or, with equally many, less
// weight.
func (a *Placement) beats(b *Placement) bool {
	return cmp.Or(cmp.Compare(a.Violations, b.Violations), cmp.Compare(a.Weight, b.Weight)) < 0
}

// placer looks for placements. It sells the items that have no place yet to the bins, at rising
// prices. The bin that gains most at the present prices buys first, and takes the filling that is best for it.
type placer struct {
	*Problem
	meter *Meter
	sacks []*sack
	dive  *dive
	// prices are the prices to begin with, by kind. offered are the present ones.
	prices  []int64
	offered []int64
	// fillings are the present fillings of the bins. unplaced counts the items of each kind that have no place
	// in them.
	fillings []Filling
	unplaced []int
	caps     []int   // memory for the largest number of items of each kind that one bin may take
	taken    []int64 // how many leavers of the fillings take from each budget
	fine     int64   // the price of a violation
	weights  []int64 // memory for the weights of the leavers of one bin
	rand     *rand.Rand
}

// Aim says when the best placement that was found is good enough.
type Aim struct {
	// Rounds is the number of rounds in a row that may pass without a better placement.
	Rounds int
	// Enough reports whether a placement is good enough. If Enough is nil, none is.
	Enough func(*Placement) bool
}

// enough reports whether a placement is good enough.
func (a *Aim) enough(p *Placement) bool { return a.Enough != nil && a.Enough(p) }

// Place returns the best placement that it finds with the prices of a relaxation, nil if it finds none. It
// builds one placement, and then takes the items out of some bins and places them again, until the meter ends
// the search or the aim is reached. The same problem has the same placement for the same limit.
func Place(p *Problem, from Relaxed, aim Aim, m *Meter) *Placement {
	x := newPlacer(p, from.Prices, m)
	if m.stopped {
		return nil
	}

	all := make([]int, len(p.Bins))
	for i := range all {
		all[i] = i
	}
	// The hopeful bins are usually enough, and take less time than all bins.
	hopeful := x.hopeful(from.Likely)
	if !x.sell(hopeful, 1024) && !x.sell(all, 1024) {
		return nil
	}
	best := x.placement()
	for _, i := range all {
		if !x.fillings[i].empty() && !slices.Contains(hopeful, i) {
			hopeful = append(hopeful, i)
		}
	}

	// The search goes on from a placement that is no worse than the current one, even if it is not the best.
	current := best
	for since := 0; since < aim.Rounds && !m.Spent() && !aim.enough(best); since++ {
		x.ruin(hopeful)
		next := (*Placement)(nil)
		if x.sell(x.draw(hopeful), 1000+int64(x.rand.IntN(40))) {
			next = x.placement()
		}
		if next == nil || current.beats(next) {
			x.restore(current)
			continue
		}
		if current = next; current.beats(best) {
			best = current
			since = 0
		}
	}
	return best
}

// newPlacer prepares a search. If the meter stops meanwhile, it has not all bins and must not be used.
func newPlacer(p *Problem, prices []int64, m *Meter) *placer {
	x := &placer{
		Problem: p, meter: m, dive: &dive{limit: 2000, meter: m},
		prices: make([]int64, len(prices)), offered: make([]int64, len(prices)),
		unplaced: make([]int, len(p.Kinds)), caps: make([]int, len(p.Kinds)), taken: make([]int64, len(p.Left)),
		rand: rand.New(rand.NewPCG(1, 2)),
	}

	heaviest := int64(0)
	for i := range p.Bins {
		if m.turn(p.turns(i)) {
			return x
		}
		x.sacks = append(x.sacks, newSack(p, &p.Bins[i]))
		x.fillings = append(x.fillings, Filling{make([]int, len(p.Kinds)), make([]bool, len(p.Bins[i].Leavers))})
		for v := range p.Bins[i].Leavers {
			heaviest = max(heaviest, p.Bins[i].Leavers[v].Weight)
		}
	}

	// A violation is worth as much as four of the heaviest leavers.
	x.fine = 4 * heaviest
	floor := heaviest/64 + 1 // the least price, for kinds whose places cost nothing by the relaxation
	for k := range prices {
		x.prices[k] = max(prices[k], floor)
		x.unplaced[k] = p.Kinds[k].Count
	}
	return x
}

// weigh returns the weights of the leavers of a bin. If other leavers have used up a budget, its leavers also
// pay the fine.
func (x *placer) weigh(b *Bin) []int64 {
	x.weights = x.weights[:0]
	for v := range b.Leavers {
		w := b.Leavers[v].Weight
		for _, budget := range b.Leavers[v].Charges {
			if x.taken[budget] >= x.Left[budget] {
				w += x.fine
				break
			}
		}
		x.weights = append(x.weights, w)
	}
	return x.weights
}

// worth returns the value of the present filling of a bin: the present prices of its items less the weights of
// its leavers.
func (x *placer) worth(i int, weights []int64) int64 {
	sum := int64(0)
	for k, n := range x.fillings[i].Counts {
		sum += x.offered[k] * int64(n)
	}
	for v, leaves := range x.fillings[i].Leaves {
		if leaves {
			sum -= weights[v]
		}
	}
	return sum
}

// gain returns how much the value of a bin grows, at the present prices, if it may take its own items and those
// without a place. The bin's sack then has the best filling.
func (x *placer) gain(i int) int64 {
	for k, n := range x.unplaced {
		x.caps[k] = n + x.fillings[i].Counts[k]
	}

	// The bin's own leavers must not count among the others that have used up a budget.
	x.charge(i, -1)
	weights := x.weigh(&x.Bins[i])
	before := x.worth(i, weights)
	value, _ := x.dive.solve(x.sacks[i], weights, x.caps)
	x.charge(i, 1)
	return value - before
}

// sell places the unplaced items in some of the bins, and returns false if it fails. It begins at this many
// thousandths of the prices.
func (x *placer) sell(bins []int, thousandths int64) bool {
	type offer struct {
		bin  int
		gain int64
	}
	offers := make([]offer, 0, len(bins))
	for k, price := range x.prices {
		x.offered[k] = price / 1000 * thousandths
	}

	for range mostRaises {
		x.dive.setPrices(x.Problem, x.offered)
		offers = offers[:0]
		for _, i := range bins {
			if gain := x.gain(i); gain > 0 {
				offers = append(offers, offer{i, gain})
			}
			if x.meter.Spent() {
				return false
			}
		}

		// The items that one bin takes are lost for the others, so each gain is computed again. A bin whose
		// gain has fallen below half of the next offer waits for the next round.
		slices.SortStableFunc(offers, func(a, b offer) int { return cmp.Compare(b.gain, a.gain) })
		for n, o := range offers {
			gain := x.gain(o.bin)
			if gain <= 0 || n+1 < len(offers) && gain < offers[n+1].gain/2 {
				continue
			}
			x.fill(o.bin, x.sacks[o.bin].best)
		}
		if !slices.ContainsFunc(x.unplaced, func(n int) bool { return n > 0 }) {
			return true
		}

		// The prices of kinds with unplaced items rise, until even a violation is worth it.
		for k, n := range x.unplaced {
			if n > 0 {
				x.offered[k] += x.offered[k]/8 + x.fine/256
			}
		}
	}
	return false
}

// mostRaises is how often prices are raised before sell gives up.
const mostRaises = 512

// fill replaces the filling of a bin.
func (x *placer) fill(i int, f Filling) {
	x.charge(i, -1)
	for k, n := range f.Counts {
		x.unplaced[k] += x.fillings[i].Counts[k] - n
	}
	copy(x.fillings[i].Counts, f.Counts)
	copy(x.fillings[i].Leaves, f.Leaves)
	x.charge(i, 1)
}

// charge counts the leavers of a bin's filling against their budgets if sign is 1, and undoes that if it is -1.
func (x *placer) charge(i int, sign int64) {
	if len(x.Left) == 0 {
		return
	}
	for v, leaves := range x.fillings[i].Leaves {
		if leaves {
			for _, b := range x.Bins[i].Leavers[v].Charges {
				x.taken[b] += sign
			}
		}
	}
}

// placement returns the present fillings with their weight and violations. A leaver is one violation if any of
// its budgets has nothing left for it.
func (x *placer) placement() *Placement {
	p := &Placement{Fillings: make([]Filling, len(x.fillings))}

	// x.taken does not tell which leavers exceed a budget that has several, so budgets are counted anew, bin by
	// bin.
	taken := make([]int64, len(x.Left))
	for i := range x.fillings {
		x.meter.turn(x.turns(i))
		p.Fillings[i] = x.fillings[i].clone()
		for v, leaves := range x.fillings[i].Leaves {
			if !leaves {
				continue
			}
			l := &x.Bins[i].Leavers[v]
			p.Weight += l.Weight
			over := false
			for _, b := range l.Charges {
				taken[b]++
				over = over || taken[b] > x.Left[b]
			}
			if over {
				p.Violations++
			}
		}
	}
	return p
}

// restore gives every bin the filling that a placement has for it.
func (x *placer) restore(p *Placement) {
	for i := range p.Fillings {
		x.meter.turn(x.turns(i))
		x.fill(i, p.Fillings[i])
	}
}

// hopeful lists the bins in which the relaxation placed something, the most frequent first. It lists no more
// than three bins for each item, and eight.
func (x *placer) hopeful(rounds []int) []int {
	var out []int
	for i, n := range rounds {
		if n > 0 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(rounds[b], rounds[a]) })

	items := 0
	for k := range x.Kinds {
		items += x.Kinds[k].Count
	}
	return out[:min(len(out), 3*items+8)]
}

// ruin empties two to six bins with items in them, chosen at random.
func (x *placer) ruin(hopeful []int) {
	for n := 2 + x.rand.IntN(5); n > 0; n-- {
		for range 64 {
			if i := hopeful[x.rand.IntN(len(hopeful))]; !x.fillings[i].empty() {
				x.fill(i, Filling{make([]int, len(x.Kinds)), make([]bool, len(x.Bins[i].Leavers))})
				break
			}
		}
	}
}

// draw returns up to 24 of the hopeful bins, chosen at random.
func (x *placer) draw(hopeful []int) []int {
	out := slices.Clone(hopeful)
	x.rand.Shuffle(len(out), func(a, b int) { out[a], out[b] = out[b], out[a] })
	return out[:min(len(out), 24)]
}
