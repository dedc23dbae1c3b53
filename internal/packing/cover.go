package packing

import (
	"cmp"
	"math"
	"slices"
)

// cover finds the lightest set of leavers of a bin that frees enough of every row.
type cover struct {
	bin   *Bin
	meter *Meter
	// order lists the leavers that free the largest shares of all rows first.
	order []int
	// mostFreed[i][r] is the most that one leaver from place i of the order on frees of row r.
	mostFreed [][]int64
	// sums has for each row the most that 1, 2, and so on leavers free together.
	sums [][]int64
	// weights are the present weights of the leavers. lightest[n] is the least that n leavers weigh together.
	weights  []int64
	lightest []int64

	// short is how much of each row the leavers still have to free. It is below 0 if they free more than
	// needed.
	short []int64
	// best is the least weight found so far, and leaves marks the leavers that have it. chosen marks the
	// leavers of the branch that is being searched. nodes counts the nodes of the search.
	best   int64
	leaves []bool
	chosen []bool
	nodes  int
	// known has the answers for the present weights, by the numbers of items of each kind.
	known map[string]answer
	key   []byte // memory for the next key
}

// answer says which leavers leave for some numbers of items, and what they weigh.
type answer struct {
	weight int64
	leaves []bool
}

// mostAnswers is the largest number of answers that are kept for a bin.
const mostAnswers = 1 << 10

// newCover returns the cover of a bin, whose weights are still to be set.
func newCover(bin *Bin) cover {
	n, rows := len(bin.Leavers), len(bin.Free)
	c := cover{bin: bin, leaves: make([]bool, n), chosen: make([]bool, n), short: make([]int64, rows)}
	c.sortLeavers()

	// From the last leaver in the order to the first, the largest amount of each row is kept.
	c.mostFreed = make([][]int64, n+1)
	c.mostFreed[n] = make([]int64, rows)
	for i := n - 1; i >= 0; i-- {
		c.mostFreed[i] = slices.Clone(c.mostFreed[i+1])
		for r, amount := range bin.Leavers[c.order[i]].Holds {
			c.mostFreed[i][r] = max(c.mostFreed[i][r], amount)
		}
	}

	// For each row by itself, the largest amounts are added up, whichever leavers free them.
	c.sums = make([][]int64, rows)
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

// sortLeavers sets the order: by the sum of a leaver's shares of the amounts that all leavers free.
func (c *cover) sortLeavers() {
	leavers := c.bin.Leavers
	all := make([]int64, len(c.bin.Free))
	for v := range leavers {
		c.order = append(c.order, v)
		for r, amount := range leavers[v].Holds {
			all[r] += amount
		}
	}

	share := make([]float64, len(leavers))
	for v := range leavers {
		for r, amount := range leavers[v].Holds {
			if all[r] > 0 {
				share[v] += float64(amount) / float64(all[r])
			}
		}
	}
	slices.SortStableFunc(c.order, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
}

// weigh sets the weight of each leaver. Answers for other weights are forgotten.
func (c *cover) weigh(weights []int64) {
	if c.known != nil && slices.Equal(weights, c.weights) {
		return
	}
	c.known = map[string]answer{}
	c.weights = append(c.weights[:0], weights...)

	sorted := slices.Clone(weights)
	slices.Sort(sorted)
	c.lightest = append(c.lightest[:0], 0)
	for _, w := range sorted {
		c.lightest = append(c.lightest, c.lightest[len(c.lightest)-1]+w)
	}
}

// least returns the least weight of leavers that free the amounts short, which these numbers of items need, and
// the number of nodes that were searched. The weight is MaxInt64 if even all leavers do not free enough. mark
// then returns the leavers. Once the meter has stopped, the weight may be that of other leavers that free
// enough, or MaxInt64.
func (c *cover) least(counts []int, short []int64) (weight int64, nodes int) {
	// short follows from the numbers of items, so these are the key.
	c.key = c.key[:0]
	for _, n := range counts {
		c.key = append(c.key, byte(n), byte(n>>8))
	}
	if a, ok := c.known[string(c.key)]; ok {
		copy(c.leaves, a.leaves)
		return a.weight, 1
	}

	copy(c.short, short)
	c.nodes = 0
	c.best = math.MaxInt64
	clear(c.chosen)
	c.decide(0, 0)
	if len(c.known) < mostAnswers && !c.meter.stopped {
		c.known[string(c.key)] = answer{weight: c.best, leaves: slices.Clone(c.leaves)}
	}
	return c.best, c.nodes
}

// freed returns the most that this number of leavers frees of a row.
func (c *cover) freed(r, leavers int) int64 {
	if leavers == 0 {
		return 0
	}
	return c.sums[r][leavers-1]
}

// fewest returns a lower bound on how many leavers have to leave to free the amounts short, from each row by
// itself.
func (c *cover) fewest(short []int64) int {
	count := 0
	for r, short := range short {
		for short > 0 && count < len(c.sums[r]) && c.freed(r, count) < short {
			count++
		}
	}
	return count
}

// mark copies the leavers of the last answer.
func (c *cover) mark(leaves []bool) { copy(leaves, c.leaves) }

// leastFrom bounds from below the weight of leavers, from the i-th in the order on, that free what is still
// short. It returns MaxInt64 if even all of them do not free enough. Each row bounds their number in two ways:
// by the leavers of the whole bin that free most of the row, and by pretending that all free as much as the
// largest one from here on. That many leavers weigh no less than the lightest that many of the bin.
func (c *cover) leastFrom(i int) int64 {
	count := 0
	for r, short := range c.short {
		if short <= 0 {
			continue
		}
		most := c.mostFreed[i][r]
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
	return c.lightest[count]
}

// decide tries for the i-th leaver in the order that it leaves and that it stays, and then goes on to the next.
// weight is the weight of the leavers chosen so far.
func (c *cover) decide(i int, weight int64) {
	c.nodes++
	if c.meter.turn(len(c.short) + len(c.order)) {
		return
	}
	more := c.leastFrom(i)
	if more == math.MaxInt64 || weight+more >= c.best {
		return
	}
	// more may be 0 although leavers are needed, if the lightest weigh nothing.
	if more == 0 && c.enough() {
		c.best = weight
		copy(c.leaves, c.chosen)
		return
	}

	// Leaving is tried before staying, so that a set that frees enough is found soon.
	v := c.order[i]
	c.chosen[v] = true
	c.free(v, 1)
	c.decide(i+1, weight+c.weights[v])
	c.free(v, -1)
	c.chosen[v] = false
	c.decide(i+1, weight)
}

// enough reports whether no row is short.
func (c *cover) enough() bool {
	for _, short := range c.short {
		if short > 0 {
			return false
		}
	}
	return true
}

// free takes the amounts of a leaver off short if sign is 1, and undoes that if it is -1.
func (c *cover) free(v int, sign int64) {
	for r, amount := range c.bin.Leavers[v].Holds {
		c.short[r] -= sign * amount
	}
}
