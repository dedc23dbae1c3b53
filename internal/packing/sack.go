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
	// sizes are the shares of the room, in units of 1/whole rounded down, that one of a
	// kind takes (first) and that a leaver takes (after the kinds).
	sizes [][]int64
	needs [][]int64
	cover cover
	// dear are the prices of the rows at which the room was last valued.
	dear []int64
	best Filling
}

const (
	whole = 1 << 14
	// mostNodes is how many nodes one knapsack is searched for. A search that ends there
	// is worth no more than its bound at the root.
	mostNodes = 20000
)

// newSack prepares a bin for fillings with kinds of the problem.
func newSack(p *Problem, bin *Bin) *sack {
	rows := len(bin.Free)
	s := &sack{rows: rows, bin: bin, room: slices.Clone(bin.Free), most: make([]int, len(p.Kinds)), dear: make([]int64, rows)}
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

// countMost finds how many of each kind fit with everyone gone, and marks the rows that every kind asks for
// of which the bin can take any.
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

// addItem adds one that takes these amounts: a kind, or a leaver that stays.
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

// dive is the search of one sack: it goes through the numbers of each kind, and has the
// cover say who leaves for them.
type dive struct {
	*sack
	m       *Meter
	prices  []int64
	weights []int64
	kinds   int
	byRow   [][]int // the kinds, those that bring most for what they take of a row first
	mult    []int
	gain    []int64 // what one item brings beyond what its room is worth
	order   []int   // of the kinds
	rank    []int   // of a kind in the order
	short   []int64 // what has to leave, by row, negative where there is room left
	lacks   []int64 // the same of the rows that are asked for, not negative
	value   int64
	counts  []int
	leavers int // as many leave, in this pass
	found   int64
	slight  int64 // a value that is not searched for
	nodes   int
	limit   int
	ratio   []float64
	sorted  []int
}

// at sets the prices.
func (d *dive) at(p *Problem, prices []int64) {
	d.m.turn(len(prices) * len(prices)) // at most, for what is sorted
	d.prices, d.kinds = prices, len(prices)
	if d.byRow == nil && len(p.Bins) > 0 {
		d.byRow = make([][]int, len(p.Bins[0].Free))
		for r := range d.byRow {
			for k := range prices {
				d.byRow[r] = append(d.byRow[r], k)
			}
		}
		d.ratio = make([]float64, d.kinds)
	}
	for r, order := range d.byRow {
		for k, price := range prices {
			d.ratio[k] = float64(price) / float64(max(p.Kinds[k].Needs[r], 0))
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(d.ratio[b], d.ratio[a]), cmp.Compare(a, b))
		})
	}
}

// solve returns the most that the bin is worth, prices of what it takes less the weights of
// who leaves, and a value that is at least as much and nearly the same where the search went to its
// end. It takes no more of a kind than caps. The filling is in best.
func (d *dive) solve(s *sack, weights []int64, caps []int) (value, upper int64) {
	d.sack, d.weights = s, weights
	s.cover.m = d.m
	d.m.turn(2 * d.rows * d.rows * (d.kinds + len(weights)))
	d.begin(caps)
	d.found, d.nodes = 0, 0
	d.warm()
	if d.found == 0 {
		clear(s.best.Counts)
		clear(s.best.Leaves)
	}
	if len(d.order) > 0 {
		if upper = d.price(); upper > d.found {
			upper = min(upper, d.search(upper))
		}
	}
	d.m.spend(d.nodes)
	return d.found, max(upper, d.found)
}

// search looks for fillings with each number of leavers for itself, since that is a whole number.
func (d *dive) search(upper int64) int64 {
	s := d.sack
	s.cover.weigh(d.weights)
	d.slight = 1 + s.cover.light[len(s.cover.light)-1]>>20
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
	for d.leavers = 0; d.leavers < len(s.cover.light); d.leavers++ {
		most := d.atMost(0)
		if most <= d.found+d.slight {
			continue
		}
		bound = max(bound, most)
		d.from(0, upper)
	}
	if d.nodes >= d.limit {
		return bound
	}
	return d.found + d.slight
}

// atMost is what the kinds from a place in the order on can bring at most, together with
// those before it, less the weights of so many leavers.
func (d *dive) atMost(i int) int64 {
	least := math.Inf(1)
	for r, order := range d.byRow {
		room := float64(d.cover.freed(r, d.leavers) - d.short[r])
		sum := 0.0
		for _, k := range order {
			if d.mult[k] == 0 || d.rank[k] < i {
				continue
			}
			need := float64(d.needs[k][r] * int64(d.mult[k]))
			worth := float64(d.prices[k] * int64(d.mult[k]))
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
	return d.value + int64(least) + 1 - d.cover.light[d.leavers]
}

func (d *dive) begin(caps []int) {
	n := d.kinds + len(d.bin.Leavers)
	if cap(d.mult) < n {
		d.mult, d.gain, d.ratio, d.sorted = make([]int, n), make([]int64, n), make([]float64, n), make([]int, 0, n)
		d.rank = make([]int, d.kinds)
	}
	d.mult, d.gain, d.ratio = d.mult[:n], d.gain[:n], d.ratio[:n]
	if len(d.short) != d.rows || len(d.counts) != d.kinds {
		d.short, d.lacks, d.counts = make([]int64, d.rows), make([]int64, d.rows), make([]int, d.kinds)
	}
	clear(d.counts)
	d.order = d.order[:0]
	for k := range d.kinds {
		d.mult[k] = 0
		if d.prices[k] > 0 {
			d.mult[k] = min(caps[k], d.most[k])
		}
		if d.mult[k] > 0 {
			d.order = append(d.order, k)
		}
	}
	for j := d.kinds; j < n; j++ {
		d.mult[j] = 1
	}
}

// warm takes up the last filling if it is within the caps and worth something.
func (d *dive) warm() {
	value := int64(0)
	for k, n := range d.best.Counts {
		if n > d.mult[k] {
			return
		}
		value += int64(n) * d.prices[k]
	}
	for v, leaves := range d.best.Leaves {
		if leaves {
			value -= d.weights[v]
		}
	}
	d.found = max(value, 0)
}

func (d *dive) worth(j int) int64 {
	if j < d.kinds {
		return d.prices[j]
	}
	return d.weights[j-d.kinds]
}

// price chooses what the room of each row is worth, and returns the bound that follows:
// no filling is worth more than all room and what items bring beyond theirs.
func (d *dive) price() int64 {
	for range 2 {
		for r := range d.rows {
			d.priceRow(r)
		}
	}
	bound := int64(0)
	for _, dear := range d.dear {
		bound += dear
	}
	for j := range d.mult {
		d.gain[j] = d.worth(j) - d.cost(j, -1)
		if d.gain[j] > 0 {
			bound += d.gain[j] * int64(d.mult[j])
		}
	}
	for _, w := range d.weights {
		bound -= w
	}
	return bound
}

// aLittleLess is one unit of a size, and so much less that no rounding makes it more.
const aLittleLess = (1 - 1e-12) / whole

// cost is what the room of an item is worth, rounded down, but for one row.
func (d *dive) cost(j, but int) int64 {
	sum := int64(0)
	for r, size := range d.sizes[j] {
		if r != but {
			sum += int64(float64(d.dear[r]) * float64(size) * aLittleLess)
		}
	}
	return sum
}

// priceRow values one row while the others stay: the items that bring most for their share
// fill it, and the first that finds no room sets the price.
func (d *dive) priceRow(r int) {
	d.sorted = d.sorted[:0]
	for j := range d.mult {
		size := d.sizes[j][r]
		if d.mult[j] == 0 || size == 0 {
			continue
		}
		if gain := d.worth(j) - d.cost(j, r); gain > 0 {
			d.ratio[j] = float64(gain) / float64(size)
			d.sorted = append(d.sorted, j)
		}
	}
	slices.SortFunc(d.sorted, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.ratio[b], d.ratio[a]), cmp.Compare(a, b))
	})
	room := int64(whole)
	for _, j := range d.sorted {
		if room -= d.sizes[j][r] * int64(d.mult[j]); room < 0 {
			d.dear[r] = int64(d.ratio[j] * whole)
			return
		}
	}
	d.dear[r] = 0
}

// from decides on the kinds in their order. A filling that goes on is worth spare at most.
func (d *dive) from(i int, spare int64) {
	if spare <= d.found || d.nodes >= d.limit || d.atMost(i) <= d.found+d.slight {
		return
	}
	d.nodes++
	if d.m.turn(d.rows * d.kinds) {
		d.nodes = d.limit // the bound at the root holds without the rest
		return
	}
	if i == len(d.order) {
		d.leaf()
		return
	}
	k := d.order[i]
	gain, n := d.gain[k], d.mult[k]
	most := 0
	for most < n && d.room(k) {
		d.add(k, 1)
		most++
	}
	if gain >= 0 { // as many as there is room for first
		for count := most; ; count-- {
			d.from(i+1, spare-gain*int64(n-count))
			if count == 0 {
				return
			}
			d.add(k, -1)
		}
	}
	d.add(k, -most)
	for count := 0; ; count++ { // none first
		d.from(i+1, spare+gain*int64(count))
		if count == most {
			break
		}
		d.add(k, 1)
	}
	d.add(k, -most)
}

// room reports whether another item of a kind has room with everyone gone.
func (d *dive) room(k int) bool {
	for r, need := range d.needs[k] {
		if need > 0 && d.short[r]+need > d.cover.freed(r, d.leavers) {
			return false
		}
	}
	return true
}

func (d *dive) add(k, n int) {
	for r, need := range d.needs[k] {
		d.short[r] += need * int64(n)
	}
	d.counts[k] += n
	d.value += d.prices[k] * int64(n)
}

// leaf has the cover say who leaves. Rows of which nothing is asked keep nobody away.
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
	cost, nodes := d.cover.least(d.counts, d.lacks)
	d.nodes += nodes
	if cost < d.value-d.found {
		d.found = d.value - cost
		copy(d.best.Counts, d.counts)
		d.cover.mark(d.best.Leaves)
	}
}

func abs(n int64) int64 { return max(n, -n) }
