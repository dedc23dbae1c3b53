package packing

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// sack is one bin as a knapsack. Its room is that of the bin without any leavers; leavers that stay and items
// that are placed share it. A leaver that stays is worth its weight, an item is worth its price.
type sack struct {
	rows int
	bin  *Bin
	// room is the capacity of each row. most is how many items of each kind fit if all leavers leave.
	room []int64
	most []int
	// sizes has the shares of the room that one item of each kind takes and, after the kinds, the shares of
	// each leaver. They are in units of 1/whole and rounded down. needs has the same in amounts.
	sizes [][]int64
	needs [][]int64
	cover cover
	// rowPrices has the value of the whole room of each row, as priceRow set it last.
	rowPrices []int64
	best      Filling
}

const (
	// whole is the size that stands for all room of a row.
	whole = 1 << 14
	// mostNodes is the largest number of nodes of the search of one knapsack. If a search is cut off, only the
	// bound at its root is known.
	mostNodes = 20000
)

// newSack returns the knapsack of a bin, for items of the problem's kinds.
func newSack(p *Problem, bin *Bin) *sack {
	rows := len(bin.Free)
	s := &sack{rows: rows, bin: bin, room: slices.Clone(bin.Free), most: make([]int, len(p.Kinds)), rowPrices: make([]int64, rows)}
	for _, l := range bin.Leavers {
		for r, amount := range l.Holds {
			s.room[r] += amount
		}
	}

	everybody := s.countMost(p)

	// A row with free room below 0 keeps away only items that need it. A filling may have no such items, so the
	// lack reduces the room only if every kind needs the row.
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

// countMost sets most: how many items of each kind fit if all leavers leave. everybody marks the rows that are
// needed by every kind that the bin can take at all.
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

// addItem adds the sizes of an item that takes these amounts: an item of a kind, or a leaver that stays.
func (s *sack) addItem(amounts []int64) {
	size := make([]int64, s.rows)
	for r, amount := range amounts {
		if s.room[r] <= 0 {
			continue
		}
		// The product may need 128 bits, since amounts are in bytes. The quotient is at most whole.
		hi, lo := bits.Mul64(uint64(min(amount, s.room[r])), whole)
		units, _ := bits.Div64(hi, lo, uint64(s.room[r]))
		size[r] = int64(units)
	}

	s.sizes = append(s.sizes, size)
	s.needs = append(s.needs, amounts)
}

// dive searches sacks, one after another. It goes through the numbers of items of each kind, and asks the
// cover which leavers leave for them. Below, an item is an item of a kind or a leaver that stays; the kinds
// come first.
type dive struct {
	*sack
	meter   *Meter
	prices  []int64 // the price of an item of each kind
	weights []int64 // the weight of each leaver
	kinds   int     // the number of kinds
	// byRow lists for each row the kinds, sorted by falling price for a unit of the row.
	byRow [][]int
	// limits is the largest number of each item that a filling may have.
	limits []int
	// gain is how much an item is worth beyond the value of the room that it takes.
	gain []int64
	// order lists the kinds that may be taken, in the order in which they are decided. rank is the place of a
	// kind in it.
	order []int
	rank  []int
	// short is, for each row, the amount that has to be freed for the items so far, negative if there is room
	// left. lacks is the same for the rows that these items need, 0 for others, and never negative.
	short []int64
	lacks []int64
	// counts are the numbers of items so far, and value is their worth.
	counts []int
	value  int64
	// leavers is the number of leavers in this pass of search.
	leavers int
	// bestValue is the value of the best filling so far. A filling that is better by no more than margin is not
	// looked for.
	bestValue int64
	margin    int64
	// nodes counts the nodes of the search, which is cut off at limit.
	nodes, limit int
	ratios       []float64 // memory for the keys by which items are sorted
	sorted       []int     // memory for sorted items
}

// setPrices sets the prices, and sorts the kinds of each row in byRow.
func (d *dive) setPrices(p *Problem, prices []int64) {
	d.meter.turn(len(prices) * len(prices)) // an upper bound on the turns of sorting
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

	// A kind that takes nothing of a row has an infinite ratio, and comes first.
	for r, order := range d.byRow {
		for k, price := range prices {
			d.ratios[k] = float64(price) / float64(max(p.Kinds[k].Needs[r], 0))
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(d.ratios[b], d.ratios[a]), cmp.Compare(a, b))
		})
	}
}

// solve returns the value of the best filling that it finds: the prices of its items less the weights of its
// leavers. The filling is then the best of the sack. upper bounds the values of all fillings; if the search was
// not cut off it is nearly the same as value. A filling has no more items of each kind than caps.
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

	// If the last filling reaches the bound at the root already, there is nothing to search for.
	if len(d.order) > 0 {
		if upper = d.priceRows(); upper > d.bestValue {
			upper = min(upper, d.search(upper))
		}
	}
	d.meter.spend(d.nodes)
	return d.bestValue, max(upper, d.bestValue)
}

// search looks for fillings with 0, 1, 2 and so on leavers, each in a pass of its own. A pass knows the whole
// number of leavers, which gives a closer bound than all passes together could have. upper bounds every value;
// search returns a bound that may be closer.
func (d *dive) search(upper int64) int64 {
	s := d.sack
	s.cover.weigh(d.weights)
	lightest := s.cover.lightest
	d.margin = 1 + lightest[len(lightest)-1]>>20

	// The kinds whose numbers matter most are decided first.
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

	// A search that was cut off has not looked at all fillings that bound covers.
	if d.nodes >= d.limit {
		return bound
	}
	return d.bestValue + d.margin
}

// mostFrom bounds the value of the fillings that have the present numbers of the kinds before the i-th in the
// order, and as many leavers as this pass. In each row, the other kinds are worth no more than if the room were
// filled with the kinds of the highest price for a unit of the row, the last one in part. The room is the most
// that so many leavers free, and their weight is at least that of the lightest.
func (d *dive) mostFrom(i int) int64 {
	least := math.Inf(1)
	for r, order := range d.byRow {
		room := float64(d.cover.freed(r, d.leavers) - d.short[r])
		sum := 0.0
		for _, k := range order {
			if d.limits[k] == 0 || d.rank[k] < i { // the kind is not taken, or is decided already
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
	return d.value + int64(least) + 1 - d.cover.lightest[d.leavers] // 1 makes up for rounding
}

// prepare sets limits and order for the present sack. It uses the memory of the last sack if that is large
// enough.
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

	// A kind without a price is not taken at all: it could only cost room.
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

	// Each leaver is one item.
	for j := d.kinds; j < n; j++ {
		d.limits[j] = 1
	}
}

// warm begins with the value of the sack's last filling, if the filling is within the limits and its value
// above 0.
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

// worth returns the value of an item: the price for an item of a kind, the weight for a leaver that stays.
func (d *dive) worth(j int) int64 {
	if j < d.kinds {
		return d.prices[j]
	}
	return d.weights[j-d.kinds]
}

// priceRows chooses a value for the room of each row, and returns the bound that follows: no filling is worth
// more than all room together, plus what items are worth beyond the value of their room. This counts leavers
// that stay as items, so the weights of all leavers are subtracted.
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

// unitRoundedDown is 1/whole, slightly reduced so that rounding never makes a cost too high.
const unitRoundedDown = (1 - 1e-12) / whole

// cost returns the value of the room that an item takes in all rows but one, rounded down. Rounding can only
// raise the bound, which stays valid.
func (d *dive) cost(j, except int) int64 {
	sum := int64(0)
	for r, size := range d.sizes[j] {
		if r != except {
			sum += int64(float64(d.rowPrices[r]) * float64(size) * unitRoundedDown)
		}
	}
	return sum
}

// priceRow sets the value of one row while the others stay: the row is filled with the items that gain most for
// their share of it, and the first item that finds no room sets the price. If all find room, the row is worth
// nothing.
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

// decide goes through the numbers of the i-th kind in the order, and then of the kinds after it. spare bounds
// the value of every filling with the numbers so far. It begins with the bound of priceRows, which assumes that
// every item with a positive gain is taken and no other; each number that differs from that lowers it.
func (d *dive) decide(i int, spare int64) {
	if spare <= d.bestValue || d.nodes >= d.limit || d.mostFrom(i) <= d.bestValue+d.margin {
		return
	}
	d.nodes++
	if d.meter.turn(d.rows * d.kinds) {
		d.nodes = d.limit // counts as cut off: only the bound at the root is used then
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

	// For a kind that gains, the largest numbers are tried first; for any other, the smallest.
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

// hasRoom reports whether one more item of a kind may have room, if the leavers of this pass free the most of
// each row.
func (d *dive) hasRoom(k int) bool {
	for r, need := range d.needs[k] {
		if need > 0 && d.short[r]+need > d.cover.freed(r, d.leavers) {
			return false
		}
	}
	return true
}

// add adds n items of a kind. It takes them back if n is negative.
func (d *dive) add(k, n int) {
	for r, need := range d.needs[k] {
		d.short[r] += need * int64(n)
	}
	d.counts[k] += n
	d.value += d.prices[k] * int64(n)
}

// leaf asks the cover which leavers leave for the items so far, and keeps the filling if it is the best. A row
// that no item needs may stay overdrawn. Items for which fewer or more leavers are needed belong to another
// pass.
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

	// The value of the filling is that of its items less the weight of its leavers.
	cost, nodes := d.cover.least(d.counts, d.lacks)
	d.nodes += nodes
	if cost < d.value-d.bestValue {
		d.bestValue = d.value - cost
		copy(d.best.Counts, d.counts)
		d.cover.mark(d.best.Leaves)
	}
}

func abs(n int64) int64 { return max(n, -n) }
