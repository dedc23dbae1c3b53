package packing

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Placement is a filling for each bin, with the weight and the violations of those who leave. Every item has
// a place.
type Placement struct {
	Fillings           []Filling
	Weight, Violations int64
}

// beats reports whether a placement is better than another: fewer violations, then less weight.
func (a *Placement) beats(b *Placement) bool {
	return cmp.Or(cmp.Compare(a.Violations, b.Violations), cmp.Compare(a.Weight, b.Weight)) < 0
}

// placer looks for placements. It sells the items that have no place yet to the bins at rising
// prices: the bin that gains most by the prices takes what is best for it.
type placer struct {
	*Problem
	meter *Meter
	sacks []*sack
	dive  *dive
	// prices are those to begin with, offered those of the moment.
	prices  []int64
	offered []int64
	// fillings are those of the moment, and unplaced says how many items of each kind have no place in them.
	fillings []Filling
	unplaced []int
	caps     []int   // memory for how many items of each kind one bin may take
	taken    []int64 // from each budget
	fine     int64   // what a violation costs
	weights  []int64 // memory for those of the leavers of one bin
	rand     *rand.Rand
}

// Aim says when the best placement that was found is good enough.
type Aim struct {
	// Rounds is how many may pass without a better placement.
	Rounds int
	// Enough reports whether a placement is good enough. If Enough is nil, none is.
	Enough func(*Placement) bool
}

// enough reports whether a placement is good enough.
func (a *Aim) enough(p *Placement) bool { return a.Enough != nil && a.Enough(p) }

// Place returns the best placement that it finds from a relaxation, nil if none. It builds one,
// and then takes the items out of some bins and places them again, until the meter ends it or the
// aim is reached. The same problem has the same placement for the same limit.
func Place(p *Problem, from Relaxed, aim Aim, m *Meter) *Placement {
	x := newPlacer(p, from.Prices, m)
	if m.stopped {
		return nil
	}

	all := make([]int, len(p.Bins))
	for i := range all {
		all[i] = i
	}
	// Few bins are mostly enough, and cost less time than all.
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

	// A placement that is no worse is gone on from, though it need not be the best.
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

// newPlacer prepares a search. Where the meter is stopped, not all of its bins are there.
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
	floor := heaviest/64 + 1 // a price for kinds that seem to cost nothing
	for k := range prices {
		x.prices[k] = max(prices[k], floor)
		x.unplaced[k] = p.Kinds[k].Count
	}
	return x
}

// weigh returns the weights of the leavers of a bin. A leaver of a budget that the leavers of other bins have used
// up pays the fine.
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

// worth returns what the filling of a bin is worth by the prices of the moment.
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

// gain returns by how much a bin can be filled better, by the prices of the moment, with what it has and what has
// no place. The best filling is that of its sack then.
func (x *placer) gain(i int) int64 {
	for k, n := range x.unplaced {
		x.caps[k] = n + x.fillings[i].Counts[k]
	}

	// Its own leavers do not count as others that have used a budget up.
	x.charge(i, -1)
	weights := x.weigh(&x.Bins[i])
	before := x.worth(i, weights)
	value, _ := x.dive.solve(x.sacks[i], weights, x.caps)
	x.charge(i, 1)
	return value - before
}

// sell places the unplaced items in some of the bins, and returns false where that does not work. It
// begins at this many thousandths of the prices.
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

		// What a bin takes makes less of the others' offers. One that has lost too much of its own waits for
		// the next round.
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

		// The prices of kinds that nobody takes rise, until even a violation is worth it.
		for k, n := range x.unplaced {
			if n > 0 {
				x.offered[k] += x.offered[k]/8 + x.fine/256
			}
		}
	}
	return false
}

// mostRaises is how often prices are raised before items count as unsaleable.
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

// charge counts those who leave a bin against their budgets for sign 1, and takes that back for -1.
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

// placement returns the fillings of the moment with their weight and violations. A leaver is one violation where
// any of its budgets has none left for it.
func (x *placer) placement() *Placement {
	p := &Placement{Fillings: make([]Filling, len(x.fillings))}

	// taken of the search says nothing of who came too late, so it is counted anew, bin by bin.
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

// restore fills every bin as a placement has it.
func (x *placer) restore(p *Placement) {
	for i := range p.Fillings {
		x.meter.turn(x.turns(i))
		x.fill(i, p.Fillings[i])
	}
}

// hopeful lists the bins in which the relaxation placed something, those in which it did so most
// often first, and no more than can be needed.
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

// ruin empties two to six of the bins that are filled, as chance has it.
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

// draw draws up to 24 of the hopeful bins.
func (x *placer) draw(hopeful []int) []int {
	out := slices.Clone(hopeful)
	x.rand.Shuffle(len(out), func(a, b int) { out[a], out[b] = out[b], out[a] })
	return out[:min(len(out), 24)]
}
