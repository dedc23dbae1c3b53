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
	// weights say what parts of the shortages count as in shares.
	weights Row
	weighed bool

	steps, limit int
	out          bool // the limit is reached
	// bound is a score that no set beats, where the limit was reached.
	bound Score

	// best is the best set so far by item, if there is any, and score its score. chosen
	// is the set at hand, and forced lists the items that every set has.
	found  bool
	best   []bool
	score  Score
	chosen []bool
	marks  []bool // memory
	forced []int32
	// settledTop is a top that no set without violations is below.
	settledTop int32
	round      round
	tiers      tiering
	violating  violating
}

// violating is the memory of a bound on violations: the items that leave for nothing, those that
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
	// depth is for how many items the tables have sums.
	depth int
	// holds has for each column, and shares for all of them, the most that so many items
	// from one on hold together; the others the least that so many come to.
	holds                   [MostDims]sumTable
	shares, violates, parts sumTable
	sums                    [2]sumTable
	// root are figures that no set of these items is below. Those without more
	// violations have a top of at least topFree.
	root    Figures
	topFree int32
	// over has, by place in the list, the items before it that are no worse in any way,
	// as bits; dominated is set where it is filled.
	over      [][mostWords]uint64
	dominated bool
	from      int // steps at its begin
	taken     [mostWords]uint64
	values    tableValues
	// ties: sets that tie with the best one by the compared measures are looked for.
	ties bool
	// done ends the round.
	done bool
	// heavy: the round took so long that weights are worth their while.
	heavy bool
	// anew: the first set was found, with which fewer items are left to look at.
	anew bool
}

// Items of one top are a tier, and ByTiers compares sets by how many of each tier leave, the
// highest first. The tables then have sums within tiers, and the bound goes from tier to tier:
// what a set still needs, less all that the tiers behind hold, is held by items of the tier,
// and by so many of them as, with the largest amounts of each column, hold that much. For the
// tiers behind, as much is taken to be held as so many items can hold. The numbers bound those
// of every set from a place on. Where they are those of the best set, the least sums of so many
// items of each tier bound the sums.

// tiering is the state of the comparison by tiers.
type tiering struct {
	on bool
	// tops are those of the tiers, the highest first, and of has the tier of each item.
	tops []int32
	of   []int32
	// list has what the round's list has of each tier.
	list []tierList
	// alike says by place whether the item is like the one before it in everything.
	alike []bool
	// counts are the numbers of the set at hand, best those of the best set, and met is the
	// memory of what a set comes to. seeded is set while the best set is none that the search
	// met, in whose place one is taken that ties with it.
	counts, best, met []int64
	seeded            bool
	// low is the bound that was found last. open bounds the sets that were not looked at, and
	// opened is set where there is one.
	low, open lowest
	opened    bool
}

// tierList is a tier of a list.
type tierList struct {
	from, to int
	// beyond, shares and share are what all items of the tiers behind hold together.
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

// mostWords times 64 is how many items dominance is found for.
const mostWords = 4

// sumTable has, for each place in the list, the sums of the 1, 2, ... largest (or
// smallest) values from there on, or says that every item has the same value.
type sumTable struct {
	depth int
	same  bool
	each  int64
	rows  []int64
}

// of returns the sum of the m largest (or smallest) values from a place on. There are so
// many. Beyond the depth of the table it is no less (or no more) than that.
func (t *sumTable) of(p, m int) int64 {
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

type tableValue struct {
	value  int64
	budget int32
}

// tableValues are values by place, from which tables are made.
type tableValues struct {
	of []int64
	// budgets has the budget of each item that has a cap, else -1; allowed is how many of
	// a budget may count. There are no caps without budgets.
	budgets []int32
	allowed []int64
	sorted  []tableValue
	// tiers has the tier of each place where sums are within tiers, else nothing.
	tiers []int32
}
