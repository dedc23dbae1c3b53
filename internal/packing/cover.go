package packing

import (
	"cmp"
	"math"
	"slices"
)

// cover finds the leavers of a bin that free enough of every row and weigh least.
type cover struct {
	bin   *Bin
	m     *Meter
	all   []int64 // what everyone together frees, by row
	order []int   // the leavers, whoever frees most first
	// most is the most that one leaver frees of a row, from each place in the order on; sums
	// are what the first leavers free together at most, by row: those that free most.
	most [][]int64
	sums [][]int64
	// light are what the lightest leavers weigh together.
	weights []int64
	light   []int64

	short  []int64
	best   int64
	leaves []bool
	chosen []bool
	nodes  int
	known  map[string]answer
	key    []byte
}

// answer is who leaves for some items.
type answer struct {
	weight int64
	leaves []bool
}

// mostAnswers is how many answers are kept for a bin.
const mostAnswers = 1 << 10

func newCover(bin *Bin) cover {
	n, rows := len(bin.Leavers), len(bin.Free)
	c := cover{bin: bin, all: make([]int64, rows), leaves: make([]bool, n), chosen: make([]bool, n), short: make([]int64, rows)}
	for v := range bin.Leavers {
		c.order = append(c.order, v)
		for r, amount := range bin.Leavers[v].Holds {
			c.all[r] += amount
		}
	}
	share := make([]float64, n)
	for v := range bin.Leavers {
		for r, amount := range bin.Leavers[v].Holds {
			if c.all[r] > 0 {
				share[v] += float64(amount) / float64(c.all[r])
			}
		}
	}
	slices.SortStableFunc(c.order, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	c.most, c.sums = make([][]int64, n+1), make([][]int64, rows)
	c.most[n] = make([]int64, rows)
	for i := n - 1; i >= 0; i-- {
		c.most[i] = slices.Clone(c.most[i+1])
		for r, amount := range bin.Leavers[c.order[i]].Holds {
			c.most[i][r] = max(c.most[i][r], amount)
		}
	}
	for r := range rows {
		var amounts []int64
		for v := range bin.Leavers {
			amounts = append(amounts, bin.Leavers[v].Holds[r])
		}
		slices.SortFunc(amounts, func(a, b int64) int { return cmp.Compare(b, a) })
		sum := int64(0)
		for _, amount := range amounts {
			sum += amount
			c.sums[r] = append(c.sums[r], sum)
		}
	}
	return c
}

// weigh sets what each leaver weighs. Other weights than before void what is known.
func (c *cover) weigh(weights []int64) {
	if c.known != nil && slices.Equal(weights, c.weights) {
		return
	}
	c.known = map[string]answer{}
	c.weights = append(c.weights[:0], weights...)
	sorted := slices.Clone(weights)
	slices.Sort(sorted)
	c.light = append(c.light[:0], 0)
	for _, w := range sorted {
		c.light = append(c.light, c.light[len(c.light)-1]+w)
	}
}

// least returns the least that leavers weigh who free what is short for so many items of each
// kind, MaxInt64 where all do not, and how many nodes were searched. mark then says who they are.
// Once the meter is stopped it is what some weigh, or MaxInt64.
func (c *cover) least(counts []int, short []int64) (weight int64, nodes int) {
	c.key = c.key[:0]
	for _, n := range counts {
		c.key = append(c.key, byte(n), byte(n>>8))
	}
	if a, ok := c.known[string(c.key)]; ok {
		copy(c.leaves, a.leaves)
		return a.weight, 1
	}
	copy(c.short, short)
	c.nodes, c.best = 0, math.MaxInt64
	clear(c.chosen)
	c.from(0, 0)
	if len(c.known) < mostAnswers && !c.m.stopped {
		c.known[string(c.key)] = answer{weight: c.best, leaves: slices.Clone(c.leaves)}
	}
	return c.best, c.nodes
}

// freed is the most that so many leavers free of a row.
func (c *cover) freed(r, leavers int) int64 {
	if leavers == 0 {
		return 0
	}
	return c.sums[r][leavers-1]
}

// fewest is how many have to leave at least.
func (c *cover) fewest(short []int64) int {
	count := 0
	for r, short := range short {
		for short > 0 && count < len(c.sums[r]) && c.freed(r, count) < short {
			count++
		}
	}
	return count
}

// mark copies who leaves by the last answer.
func (c *cover) mark(leaves []bool) { copy(leaves, c.leaves) }

// atLeast is what those who leave from a place on weigh at least.
func (c *cover) atLeast(i int) int64 {
	count := 0
	for r, short := range c.short {
		if short <= 0 {
			continue
		}
		most := c.most[i][r]
		if most == 0 {
			return math.MaxInt64
		}
		for count < len(c.sums[r]) && (count == 0 || c.sums[r][count-1] < short) {
			count++
		}
		count = max(count, int((short+most-1)/most))
	}
	if count > len(c.order)-i {
		return math.MaxInt64
	}
	return c.light[count]
}

func (c *cover) from(i int, weight int64) {
	c.nodes++
	if c.m.turn(len(c.short) + len(c.order)) {
		return
	}
	more := c.atLeast(i)
	if more == math.MaxInt64 || weight+more >= c.best {
		return
	}
	if more == 0 && c.enough() {
		c.best = weight
		copy(c.leaves, c.chosen)
		return
	}
	v := c.order[i]
	c.chosen[v] = true
	c.free(v, 1)
	c.from(i+1, weight+c.weights[v])
	c.free(v, -1)
	c.chosen[v] = false
	c.from(i+1, weight)
}

func (c *cover) enough() bool {
	for _, short := range c.short {
		if short > 0 {
			return false
		}
	}
	return true
}

func (c *cover) free(v int, sign int64) {
	for r, amount := range c.bin.Leavers[v].Holds {
		c.short[r] -= sign * amount
	}
}
