package packing

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// sack is one bin as a knapsack: whoever stays and what is placed share the room of the bin
// without its leavers. A leaver that stays is worth its weight, an item its price.
type sack struct {
	rows int
	bin  *Bin
	// room is the capacity by row, and most how many of each kind fit with everyone gone.
	room []int64
	most []int
	// sizes are the shares of the room, in units of 1/whole and rounded down, that one item of each kind takes,
	// and after the kinds those that each leaver takes. needs are the same in amounts.
	sizes [][]int64
	needs [][]int64
	cover cover
	// rowPrices say what the room of each row was worth when it was last valued.
	rowPrices []int64
	best      Filling
}

const (
	// whole is all room of a row in the unit of sizes.
	whole = 1 << 14
	// mostNodes is how many nodes one knapsack is searched for at most. Of a search that ends there only the
	// bound at the root is known.
	mostNodes = 20000
)

// newSack prepares a bin for fillings with kinds of the problem.
func newSack(p *Problem, bin *Bin) *sack {
	rows := len(bin.Free)
	s := &sack{rows: rows, bin: bin, room: slices.Clone(bin.Free), most: make([]int, len(p.Kinds)), rowPrices: make([]int64, rows)}
	for _, l := range bin.Leavers {
		for r, amount := range l.Holds {
			s.room[r] += amount
		}
	}

	everybody := s.countMost(p)

	// A row that is overdrawn while everyone stays keeps away only what asks for it. A filling may have nothing
	// that does, unless every kind asks for it: only then is the lack a part of the room.
	for r, free := range bin.Free {
		if free < 0 && !everybody[r] {
			s.room[r] -= free
		}
	}

	for k := range p.Kinds {
		s.addItem(p.Kinds[k].Needs)
	}
	for _, l := range bin.Leavers {
		s.addItem(l.Holds)
	}

	s.cover = newCover(bin)
	s.best = Filling{make([]int, len(p.Kinds)), make([]bool, len(bin.Leavers))}
	return s
}

// countMost finds how many items of each kind fit with everyone gone. It marks the rows that every kind asks for,
// of the kinds that the bin can take at all.
func (s *sack) countMost(p *Problem) (everybody []bool) {
	everybody = slices.Repeat([]bool{true}, s.rows)
	for k := range p.Kinds {
		kind := &p.Kinds[k]
		s.most[k] = kind.Count
		if s.bin.Refuses != nil && s.bin.Refuses[k] {
			s.most[k] = 0
		}

		for r, need := range kind.Needs {
			if need > 0 {
				s.most[k] = int(min(int64(s.most[k]), max(0, s.room[r])/need))
			}
		}
		for r, need := range kind.Needs {
			everybody[r] = everybody[r] && (need > 0 || s.most[k] == 0)
		}
	}
	return everybody
}

// addItem adds an item that takes these amounts: one of a kind, or a leaver that stays.
func (s *sack) addItem(amounts []int64) {
	size := make([]int64, s.rows)
	for r, amount := range amounts {
		if s.room[r] <= 0 {
			continue
		}
		// In 128 bits, since amounts are in bytes. The quotient is at most whole.
		hi, lo := bits.Mul64(uint64(min(amount, s.room[r])), whole)
		units, _ := bits.Div64(hi, lo, uint64(s.room[r]))
		size[r] = int64(units)
	}

	s.sizes = append(s.sizes, size)
	s.needs = append(s.needs, amounts)
}

// dive is the search of one sack after the other. It goes through the numbers of items of each kind, and has the
// cover say who leaves for them. Below, an item is one of a kind or a leaver that stays; the kinds come first.
type dive struct {
	*sack
	meter   *Meter
	prices  []int64 // of the kinds
	weights []int64 // of the leavers
	kinds   int     // how many there are
	// byRow lists by row the kinds, those first that bring most for what they take of the row.
	byRow [][]int
	// limits is how many there are at most of each item.
	limits []int
	// gain is what one item brings beyond what its room is worth.
	gain []int64
	// order lists the kinds that may be taken, as they are decided on, and rank is the place of a kind in it.
	order []int
	rank  []int
	// short is by row how much has to leave for the items so far, negative where there is room left. lacks is the
	// same for the rows that these items ask for, and not negative.
	short []int64
	lacks []int64
	// counts are the numbers of items so far, and value is their worth.
	counts []int
	value  int64
	// leavers is how many leave in this pass.
	leavers int
	// bestValue is the worth of the best filling so far. One that is better by no more than margin is not
	// searched for.
	bestValue int64
	margin    int64
	// nodes counts those of the search, which ends at limit.
	nodes, limit int
	ratios       []float64 // memory for what sorts items
	sorted       []int     // memory for sorted items
}

// setPrices sets the prices, and sorts the kinds by them.
func (d *dive) setPrices(p *Problem, prices []int64) {
	d.meter.turn(len(prices) * len(prices)) // at most, for what is sorted
	d.prices = prices
	d.kinds = len(prices)
	if d.byRow == nil && len(p.Bins) > 0 {
		d.byRow = make([][]int, len(p.Bins[0].Free))
		for r := range d.byRow {
			for k := range prices {
				d.byRow[r] = append(d.byRow[r], k)
			}
		}
		d.ratios = make([]float64, d.kinds)
	}

	// A kind that takes nothing of a row brings infinitely much for it, and comes first.
	for r, order := range d.byRow {
		for k, price := range prices {
			d.ratios[k] = float64(price) / float64(max(p.Kinds[k].Needs[r], 0))
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(d.ratios[b], d.ratios[a]), cmp.Compare(a, b))
		})
	}
}

// solve returns the value of the best filling that it finds, which is then the best of the sack: the prices of
// what the bin takes less the weights of who leaves. upper is a bound of all values; where the search went to its
// end it is nearly the same. No more of a kind is taken than caps.
func (d *dive) solve(s *sack, weights []int64, caps []int) (value, upper int64) {
	d.sack = s
	d.weights = weights
	s.cover.meter = d.meter
	d.meter.turn(2 * d.rows * d.rows * (d.kinds + len(weights)))
	d.prepare(caps)

	d.bestValue = 0
	d.nodes = 0
	d.warm()
	if d.bestValue == 0 {
		clear(s.best.Counts)
		clear(s.best.Leaves)
	}

	// Where the bound at the root is met already there is nothing to search for.
	if len(d.order) > 0 {
		if upper = d.priceRows(); upper > d.bestValue {
			upper = min(upper, d.search(upper))
		}
	}
	d.meter.spend(d.nodes)
	return d.bestValue, max(upper, d.bestValue)
}

// search looks for fillings with 0, 1, 2 and so on leavers, each in a pass of its own: since their number is whole,
// a pass has a closer bound than all of them together. upper bounds every value; search returns a bound that may
// be closer.
func (d *dive) search(upper int64) int64 {
	s := d.sack
	s.cover.weigh(d.weights)
	lightest := s.cover.lightest
	d.margin = 1 + lightest[len(lightest)-1]>>20

	// The kinds whose numbers matter most are decided on first.
	slices.SortFunc(d.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(abs(d.gain[b]), abs(d.gain[a])), cmp.Compare(a, b))
	})
	for i, k := range d.order {
		d.rank[k] = i
	}
	for r, free := range s.bin.Free {
		d.short[r] = -free
	}
	d.value = 0

	bound := int64(0)
	for d.leavers = 0; d.leavers < len(lightest); d.leavers++ {
		most := d.mostFrom(0)
		if most <= d.bestValue+d.margin {
			continue
		}
		bound = max(bound, most)
		d.decide(0, upper)
	}

	// A search that was cut off has not been through all that bound is for.
	if d.nodes >= d.limit {
		return bound
	}
	return d.bestValue + d.margin
}

// mostFrom bounds the value of the fillings that have the numbers so far of the kinds before the i-th in the order,
// and the number of leavers of this pass. By each row the other kinds bring no more than if the room of the row
// were filled with those that bring most for it, the last one in part. The room is what that many leavers free at
// most, and they weigh no less than the lightest.
func (d *dive) mostFrom(i int) int64 {
	least := math.Inf(1)
	for r, order := range d.byRow {
		room := float64(d.cover.freed(r, d.leavers) - d.short[r])
		sum := 0.0
		for _, k := range order {
			if d.limits[k] == 0 || d.rank[k] < i { // not to be taken, or decided on
				continue
			}
			need := float64(d.needs[k][r] * int64(d.limits[k]))
			worth := float64(d.prices[k] * int64(d.limits[k]))
			if need > 0 && need > room {
				if room > 0 {
					sum += float64(worth * room / need)
				}
				break
			}
			room -= need
			sum += worth
		}
		least = min(least, sum)
	}
	return d.value + int64(least) + 1 - d.cover.lightest[d.leavers] // 1 for what was rounded
}

// prepare sets how many there may be of each item, and lists the kinds that may be taken. Memory that is large
// enough is taken over from the last sack.
func (d *dive) prepare(caps []int) {
	n := d.kinds + len(d.bin.Leavers)
	if cap(d.limits) < n {
		d.limits = make([]int, n)
		d.gain = make([]int64, n)
		d.ratios = make([]float64, n)
		d.sorted = make([]int, 0, n)
		d.rank = make([]int, d.kinds)
	}
	d.limits = d.limits[:n]
	d.gain = d.gain[:n]
	d.ratios = d.ratios[:n]
	if len(d.short) != d.rows || len(d.counts) != d.kinds {
		d.short = make([]int64, d.rows)
		d.lacks = make([]int64, d.rows)
		d.counts = make([]int, d.kinds)
	}

	clear(d.counts)
	d.order = d.order[:0]
	for k := range d.kinds {
		d.limits[k] = 0
		if d.prices[k] > 0 {
			d.limits[k] = min(caps[k], d.most[k])
		}
		if d.limits[k] > 0 {
			d.order = append(d.order, k)
		}
	}
	for j := d.kinds; j < n; j++ {
		d.limits[j] = 1
	}
}

// warm begins with the last filling of the sack if it is within the limits and worth something.
func (d *dive) warm() {
	value := int64(0)
	for k, n := range d.best.Counts {
		if n > d.limits[k] {
			return
		}
		value += int64(n) * d.prices[k]
	}
	for v, leaves := range d.best.Leaves {
		if leaves {
			value -= d.weights[v]
		}
	}
	d.bestValue = max(value, 0)
}

// worth returns the price of an item of a kind, or the weight of a leaver, which is what its staying is worth.
func (d *dive) worth(j int) int64 {
	if j < d.kinds {
		return d.prices[j]
	}
	return d.weights[j-d.kinds]
}

// priceRows chooses what the room of each row is worth, and returns the bound that follows: no filling is worth
// more than all room together with what items bring beyond the worth of theirs. That counts leavers that stay as
// items, so the weights of all are taken off.
func (d *dive) priceRows() int64 {
	// Any prices give a bound. A second pass sees the prices that the first one gave the other rows.
	for range 2 {
		for r := range d.rows {
			d.priceRow(r)
		}
	}

	bound := int64(0)
	for _, price := range d.rowPrices {
		bound += price
	}
	for j := range d.limits {
		d.gain[j] = d.worth(j) - d.cost(j, -1)
		if d.gain[j] > 0 {
			bound += d.gain[j] * int64(d.limits[j])
		}
	}
	for _, w := range d.weights {
		bound -= w
	}
	return bound
}

// unitRoundedDown is one unit of a size, less by so little that rounding cannot make it more than that.
const unitRoundedDown = (1 - 1e-12) / whole

// cost returns what the room of an item is worth in all rows but one, rounded down. The bound is the higher for
// what rounding leaves out, and still one.
func (d *dive) cost(j, except int) int64 {
	sum := int64(0)
	for r, size := range d.sizes[j] {
		if r != except {
			sum += int64(float64(d.rowPrices[r]) * float64(size) * unitRoundedDown)
		}
	}
	return sum
}

// priceRow values one row while the others stay: the items that bring most for their share
// fill it, and the first that finds no room sets the price. Where all find room it is worth nothing.
func (d *dive) priceRow(r int) {
	d.sorted = d.sorted[:0]
	for j := range d.limits {
		size := d.sizes[j][r]
		if d.limits[j] == 0 || size == 0 {
			continue
		}
		if gain := d.worth(j) - d.cost(j, r); gain > 0 {
			d.ratios[j] = float64(gain) / float64(size)
			d.sorted = append(d.sorted, j)
		}
	}
	slices.SortFunc(d.sorted, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.ratios[b], d.ratios[a]), cmp.Compare(a, b))
	})

	room := int64(whole)
	for _, j := range d.sorted {
		if room -= d.sizes[j][r] * int64(d.limits[j]); room < 0 {
			d.rowPrices[r] = int64(d.ratios[j] * whole)
			return
		}
	}
	d.rowPrices[r] = 0
}

// decide goes through the numbers of the i-th kind in the order, and then of those after it. spare bounds the
// value of every filling that has the numbers so far: it begins with the bound of priceRows, which counts on each
// item that gains, and on none that does not, and loses what each number gives away of that.
func (d *dive) decide(i int, spare int64) {
	if spare <= d.bestValue || d.nodes >= d.limit || d.mostFrom(i) <= d.bestValue+d.margin {
		return
	}
	d.nodes++
	if d.meter.turn(d.rows * d.kinds) {
		d.nodes = d.limit // the bound at the root holds without the rest
		return
	}
	if i == len(d.order) {
		d.leaf()
		return
	}

	k := d.order[i]
	gain, limit := d.gain[k], d.limits[k]
	most := 0
	for most < limit && d.hasRoom(k) {
		d.add(k, 1)
		most++
	}

	// A kind that gains begins with as many as have room, any other with none.
	if gain >= 0 {
		for count := most; ; count-- {
			d.decide(i+1, spare-gain*int64(limit-count))
			if count == 0 {
				return
			}
			d.add(k, -1)
		}
	}
	d.add(k, -most)
	for count := 0; ; count++ {
		d.decide(i+1, spare+gain*int64(count))
		if count == most {
			break
		}
		d.add(k, 1)
	}
	d.add(k, -most)
}

// hasRoom reports whether another item of a kind has room beside those so far, if the leavers of this pass are those
// that free most of each row.
func (d *dive) hasRoom(k int) bool {
	for r, need := range d.needs[k] {
		if need > 0 && d.short[r]+need > d.cover.freed(r, d.leavers) {
			return false
		}
	}
	return true
}

// add adds n items of a kind, or takes -n back.
func (d *dive) add(k, n int) {
	for r, need := range d.needs[k] {
		d.short[r] += need * int64(n)
	}
	d.counts[k] += n
	d.value += d.prices[k] * int64(n)
}

// leaf has the cover say who leaves for the items so far, and keeps the filling if it is the best. Rows of which
// nothing is asked keep nobody away. Items for which another number has to leave are another pass's.
func (d *dive) leaf() {
	for r, short := range d.short {
		d.lacks[r] = 0
		for k, n := range d.counts {
			if n > 0 && d.needs[k][r] > 0 {
				d.lacks[r] = max(0, short)
				break
			}
		}
	}
	if d.cover.fewest(d.lacks) != d.leavers {
		return
	}

	// The filling is worth its items less who leaves for them.
	cost, nodes := d.cover.least(d.counts, d.lacks)
	d.nodes += nodes
	if cost < d.value-d.bestValue {
		d.bestValue = d.value - cost
		copy(d.best.Counts, d.counts)
		d.cover.mark(d.best.Leaves)
	}
}

func abs(n int64) int64 { return max(n, -n) }
