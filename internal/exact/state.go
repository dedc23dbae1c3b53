package exact

import (
	"slices"
)

// Search looks for the best set. It uses its memory again for the next question. Only one goroutine may use it
// at a time. The zero Search is ready.
type Search struct {
	q     Question
	host  Host
	known known
	// weights say how much the share of each column counts in the weighted sum. weighed says that they were
	// looked for, or need not be.
	weights Row
	weighed bool

	steps, limit int
	ended        bool // the limit, or Question.Ended, has ended the search
	// bound is a score that no set beats. It is only set if the search was ended.
	bound Score

	// found says that there is a best set. best says for each item whether it is in that set, and score is the
	// set's score.
	found bool
	best  []bool
	score Score
	// chosen says for each item whether it is in the set at hand. forced lists the items that every set must
	// have.
	chosen []bool
	forced []int32
	marks  []bool // memory for Host.Violating
	// settledTop is a lower bound on the top of every set without violations, which earlier rounds have proved.
	settledTop int32
	round      round
	tiers      tiering
	violating  violating
}

// violating is memory for the bound on violations: free are the items that may leave without a violation, paid
// the items that cost one, and taken counts the parts taken from each budget.
type violating struct {
	free, paid []paidItem
	taken      []int64
}

// paidItem is an item with its amount of a column or its weighted shares, and with the budget that it takes
// from, -1 if no budget counts for it.
type paidItem struct {
	item, budget int32
	amount       int64
}

// cleared returns a slice of n times false, in the memory of list if that is large enough.
func cleared(list []bool, n int) []bool {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// round is one pass of the search over a list of items.
type round struct {
	list []int32 // the items, in the order in which they are added to sets
	// depth is the largest number of items for which the tables have exact sums.
	depth int
	// holds has for each column, and shares for the weighted shares, the most that any m items from a place on
	// can hold together. The other tables have the least sums of any m items.
	holds                   [MostDims]sumTable
	shares, violates, parts sumTable
	sums                    [2]sumTable
	// root bounds the figures of every set of these items from below. topFree bounds the top of every set that
	// has no more violations than root.
	root    Figures
	topFree int32
	// over has for each place in the list the items before it that dominate it, as bits. dominated says that
	// over is filled in.
	over      [][mostWords]uint64
	dominated bool
	from      int               // the number of steps before the round
	taken     [mostWords]uint64 // the places of the chosen items in the list, as bits
	values    tableValues
	// ties says that sets which tie with the best one in the compared measures are looked at, too.
	ties bool
	// done says that the round has to end.
	done bool
	// heavy says that the round was ended because it took so long that weights are worth looking for.
	heavy bool
	// anew says that the round was ended because it found the first set, with which the list becomes shorter.
	anew bool
}

// tiering is the state of the comparison by tiers.
type tiering struct {
	on bool
	// tops has the top of each tier, the highest first. tierOf has the tier of each item.
	tops   []int32
	tierOf []int32
	// list has for each tier its part of the round's list.
	list []tierList
	// alike says for each place of the list whether its item is like the item before it.
	alike []bool
	// counts has the number of parts in each tier of the set at hand, and best that of the best set. met is
	// memory for the numbers of a set that is compared with the best one.
	counts, best, met []int64
	// seeded says that the best set was known before the search (see startFrom). A set that ties with it
	// replaces it.
	seeded bool
	// low is the bound that mayImprove found last. open bounds all sets that an ended search did not look at,
	// and opened says that there are any.
	low, open lowest
	opened    bool
}

// tierList is the part of a list with the items of one tier.
type tierList struct {
	from, to int // the places, to excluded
	// beyond has the amounts that all items of the later tiers hold together. shares and share are the sums of
	// their shares.
	beyond Row
	shares Row
	share  int64
}

// rest has the amounts that a set still has to hold.
type rest struct {
	amounts, shares Row
	share           int64
}

// lowest is a lower bound on the number of parts in each tier and on the figures of a set.
type lowest struct {
	counts  []int64
	figures Figures
}

// mostWords is the number of 64-bit words in a set of places. Dominance is only looked for in lists that fit.
const mostWords = 4

// sumTable has, for each place in the list, the sums of the 1, 2, ... largest (or smallest) values from there
// on. If every item has the same value, it has only that value.
type sumTable struct {
	depth int // the number of sums for each place
	same  bool
	each  int64 // the value of every item if same is set
	rows  []int64
}

// sum returns the sum of the m largest (or smallest) values from place p on; there must be that many. Beyond
// the depth of the table each further value counts as the last one in it, so that the result is no less (or no
// more) than the sum.
func (t *sumTable) sum(p, m int) int64 {
	if t.same {
		return times(t.each, m)
	}
	row := t.rows[p*t.depth : (p+1)*t.depth]
	if m <= t.depth {
		return row[m-1]
	}
	last := row[t.depth-1]
	if t.depth > 1 {
		last -= row[t.depth-2]
	}
	return add(row[t.depth-1], times(last, m-t.depth))
}

// tableValue is a value with the budget that caps its item, -1 for none.
type tableValue struct {
	value  int64
	budget int32
}

// tableValues are the values that a table is made from.
type tableValues struct {
	byPlace []int64
	// budgets has for each place the budget that caps the item, -1 for none. allowed is the number of items of
	// each budget that may count. If budgets is empty there are no caps.
	budgets []int32
	allowed []int64
	sorted  []tableValue
	// tiers has the tier of each place if sums are taken within tiers, and is empty otherwise.
	tiers []int32
}
