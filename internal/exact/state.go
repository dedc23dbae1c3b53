package exact

import (
	"slices"
)

// Search looks for the best set. Its memory serves for the next question, and one goroutine
// uses it at a time. The zero Search is ready.
type Search struct {
	q     Question
	host  Host
	known known
	// weights say how much the shares of each column count. weighed is set once they need not be looked for any
	// more.
	weights Row
	weighed bool

	steps, limit int
	ended        bool // by the limit, or by the host
	// bound is a score that no set beats, where the search was ended.
	bound Score

	// found is set once there is a best set. best has it by item, and score is its score.
	found bool
	best  []bool
	score Score
	// chosen has by item the set at hand, and forced lists the items that every set has.
	chosen []bool
	forced []int32
	marks  []bool // memory
	// settledTop is a top that no set without violations is below.
	settledTop int32
	round      round
	tiers      tiering
	violating  violating
}

// violating is the memory of the bound on violations: the items that leave for nothing, those that
// violate a budget, and how many of each budget are taken.
type violating struct {
	free, paid []paidItem
	taken      []int64
}

// paidItem is an item with its amount of what is short, and the budget that it takes from, -1 for
// none that counts.
type paidItem struct {
	item, budget int32
	amount       int64
}

// cleared returns n times false, in the memory of list if it is large enough.
func cleared(list []bool, n int) []bool {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// round is one search over some of the items, in the order in which it takes them.
type round struct {
	list []int32 // items
	// depth is the number of items up to which the tables have sums.
	depth int
	// holds has by column, and shares for all columns, the most that some number of items from a place on can
	// hold together. The other tables have the least that their figures add up to.
	holds                   [MostDims]sumTable
	shares, violates, parts sumTable
	sums                    [2]sumTable
	// root has figures that no set of these items is below. topFree is a top that no set is below that has no
	// more violations than root.
	root    Figures
	topFree int32
	// over has, by place in the list, the items before it that are no worse in any way,
	// as bits; dominated is set where it is filled.
	over      [][mostWords]uint64
	dominated bool
	from      int               // the steps at its begin
	taken     [mostWords]uint64 // the places of the chosen items, as bits
	values    tableValues
	// ties is set where sets are looked for, too, that tie with the best one by the compared measures.
	ties bool
	// done ends the round.
	done bool
	// heavy is set where the round took so long that weights are worth looking for.
	heavy bool
	// anew is set where the first set was found, with which fewer items are left to look at.
	anew bool
}

// tiering is the state of the comparison by tiers.
type tiering struct {
	on bool
	// tops are those of the tiers, the highest first, and tierOf has the tier of each item.
	tops   []int32
	tierOf []int32
	// list has by tier its part of the round's list.
	list []tierList
	// alike says by place whether the item is like the one before it in everything.
	alike []bool
	// counts has by tier the numbers of the set at hand, and best those of the best set. met is the memory for those
	// of a set that is compared.
	counts, best, met []int64
	// seeded is set while the best set is one that was known before the search. A set that ties with it
	// takes its place.
	seeded bool
	// low is the bound that was found last. open bounds the sets that were not looked at, and
	// opened is set where there are any.
	low, open lowest
	opened    bool
}

// tierList is the part of a list that is of one tier.
type tierList struct {
	from, to int // the places, to excluded
	// beyond has the amounts that all items of the tiers behind hold together, shares and share their shares.
	beyond Row
	shares Row
	share  int64
}

// rest has the amounts that a set still has to hold.
type rest struct {
	amounts, shares Row
	share           int64
}

// lowest is a bound on the numbers of items by tier and on the sums.
type lowest struct {
	counts  []int64
	figures Figures
}

// mostWords times 64 is how many items dominance can be found for.
const mostWords = 4

// sumTable has, for each place in the list, the sums of the 1, 2, ... largest (or
// smallest) values from there on. Where every item has the same value, that is all it has.
type sumTable struct {
	depth int // how many sums there are for each place
	same  bool
	each  int64 // the value of every item, where same is set
	rows  []int64
}

// sum returns the sum of the m largest (or smallest) values from a place on, where there are that
// many. Beyond the depth of the table it returns no less (or no more) than that sum: each further value counts as
// the last one in the table.
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

// tableValue is a value with the budget of its item, -1 for none that caps it.
type tableValue struct {
	value  int64
	budget int32
}

// tableValues are the values that a table is made from.
type tableValues struct {
	byPlace []int64
	// budgets has by place the budget that caps the item, -1 for none, and allowed how many of
	// a budget may count. Without budgets there are no caps.
	budgets []int32
	allowed []int64
	sorted  []tableValue
	// tiers has by place the tier where sums are within tiers, and is empty otherwise.
	tiers []int32
}
