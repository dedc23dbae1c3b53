package preemption

import (
	"slices"

	"github.com/outrank-go/outrank/resource"
)

// setRound is one search over some of the items, in the order in which it takes them.
type setRound struct {
	list []int32 // items
	// depth is for how many items the tables have sums.
	depth int
	// holds has for each resource, and shares for all of them, the most that so many
	// items from one on hold together; the others the least that so many come to.
	holds                               [mostDims]sumTable
	shares, violates, sums, pods, costs sumTable
	// root are figures that no set of these items is below. Those without more
	// violations have a top priority of at least topFree.
	root    setFigures
	topFree int32
	// over has, by place in the list, the items before it that are no worse in any way,
	// as bits; dominated is set where it is filled.
	over      [][mostWords]uint64
	dominated bool
	from      int // steps at its begin
	taken     [mostWords]uint64
	values    tableValues
	// ties: sets that tie with the best one by the compared ranks are looked for.
	ties bool
	// done ends the round.
	done bool
	// heavy: the round took so long that weights are worth their while.
	heavy bool
	// anew: the first set was found, with which fewer items are left to look at.
	anew bool
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

// fill computes the table of values by place. Where values has caps, no more items of a
// budget count than it allows, which are those with the largest values.
func (t *sumTable) fill(values *tableValues, depth int, largest bool) {
	t.depth = depth
	t.same = len(values.of) > 0 && slices.Max(values.of) == slices.Min(values.of)
	if t.same {
		t.each = values.of[0]
		return
	}
	t.rows = slices.Grow(t.rows[:0], len(values.of)*depth)[:len(values.of)*depth]
	values.sorted = values.sorted[:0]
	for p := len(values.of) - 1; p >= 0; p-- {
		values.insert(p, depth, largest)
		sum, row := int64(0), t.rows[p*depth:(p+1)*depth]
		for m := range row {
			if m < len(values.sorted) {
				sum = addCosts(sum, values.sorted[m].value)
			}
			row[m] = sum
		}
	}
}

// tableValues are values by place, from which tables are made.
type tableValues struct {
	of []int64
	// budgets has the budget of each item that has a cap, else -1; allowed is how many of
	// a budget may count. There are no caps without budgets.
	budgets []int32
	allowed []int64
	sorted  []tableValue
}

type tableValue struct {
	value  int64
	budget int32
}

// insert puts the value of a place among those behind it.
func (t *tableValues) insert(p, depth int, largest bool) {
	v := tableValue{t.of[p], -1}
	if largest && len(t.budgets) > 0 {
		v.budget = t.budgets[p]
	}
	at := len(t.sorted)
	for at > 0 && (largest && t.sorted[at-1].value < v.value || !largest && t.sorted[at-1].value > v.value) {
		at--
	}
	if v.budget >= 0 && !t.makeWay(v.budget, at) || at >= depth {
		return
	}
	if len(t.sorted) == depth {
		t.sorted = t.sorted[:depth-1]
	}
	t.sorted = slices.Insert(t.sorted, at, v)
}

// makeWay reports whether a further value of a budget counts at a place: there are fewer
// than the budget allows, or a smaller one, which no longer counts.
func (t *tableValues) makeWay(budget int32, at int) bool {
	count, least := int64(0), -1
	for i, o := range t.sorted {
		if o.budget == budget {
			count, least = count+1, i
		}
	}
	if count < t.allowed[budget] {
		return true
	}
	if least < at {
		return false
	}
	t.sorted = slices.Delete(t.sorted, least, least+1)
	return true
}

// of returns the sum of the m largest (or smallest) values from a place on. There are so
// many. Beyond the depth of the table it is no less (or no more) than that.
func (t *sumTable) of(p, m int) int64 {
	if t.same {
		return resource.MulSat(t.each, int64(m))
	}
	row := t.rows[p*t.depth : (p+1)*t.depth]
	if m <= t.depth {
		return row[m-1]
	}
	last := row[t.depth-1]
	if t.depth > 1 {
		last -= row[t.depth-2]
	}
	return addCosts(row[t.depth-1], resource.MulSat(last, int64(m-t.depth)))
}

// mostEntries bounds the memory of a table, mostDepth its rows.
const (
	mostEntries = 1 << 15
	mostDepth   = 64
)

// prepare fills the tables for the items on the list.
func (x *setSearch) prepare() {
	r := &x.round
	n := len(r.list)
	depth := mostDepth
	if x.found {
		depth = x.score.Victims + 1
	}
	r.depth = max(1, min(depth, n, mostDepth, mostEntries/max(n, 1)))
	v := &r.values
	v.of = slices.Grow(v.of[:0], n)[:n]
	fill := func(t *sumTable, largest bool, of func(it *setItem) int64) {
		for p, i := range r.list {
			v.of[p] = of(&x.items[i])
		}
		t.fill(v, r.depth, largest)
	}
	x.findCaps()
	for k := range x.dims {
		fill(&r.holds[k], true, func(it *setItem) int64 { return it.holds[k] })
	}
	fill(&r.shares, true, func(it *setItem) int64 { return it.share })
	fill(&r.violates, false, func(it *setItem) int64 { return it.always })
	fill(&r.sums, false, func(it *setItem) int64 { return it.sum })
	fill(&r.pods, false, (*setItem).pods)
	fill(&r.costs, false, func(it *setItem) int64 { return it.cost })
}

// findCaps finds for which items on the list the budget matters, where no set counts that
// violates one: of these no more are taken than the budget has left.
func (x *setSearch) findCaps() {
	v := &x.round.values
	v.budgets, v.allowed = v.budgets[:0], x.left
	if !x.sparing() {
		return
	}
	for _, i := range x.round.list {
		it, b := &x.items[i], int32(-1)
		if it.to-it.from == 1 {
			b = x.budgetOf[it.from]
		}
		v.budgets = append(v.budgets, b)
	}
}

// sparing reports whether no set counts that violates a budget.
func (x *setSearch) sparing() bool {
	return x.strict || x.found && x.bestAt.violations == 0 && x.compared > 0 && x.ranks[0] == ByViolations
}

// rest is what a set still has to hold.
type rest struct {
	amounts, shares row
	share           int64
}

func (x *setSearch) wholeRest() rest {
	r := rest{amounts: x.short}
	for k := range x.dims {
		r.shares[k] = wholeShare
	}
	r.share = x.weigh(&r.shares)
	return r
}

// without is what is left when an item goes. Nothing is below 0.
func (x *setSearch) without(r *rest, it *setItem) rest {
	out := *r
	for k := range x.dims {
		out.amounts[k] = max(0, r.amounts[k]-it.holds[k])
		out.shares[k] = max(0, r.shares[k]-it.shares[k])
		out.share -= (r.shares[k] - out.shares[k]) * x.weights[k]
	}
	return out
}

// met reports whether there is room.
func (r *rest) met() bool { return r.amounts == row{} }

// fewest returns how many items from a place on are needed at least, from least up, to
// hold the rest; not ok if all of them do not.
func (x *setSearch) fewest(p, least int, rest *rest) (m int, ok bool) {
	r := &x.round
	n := len(r.list) - p
	for m = least; m <= n; m++ {
		if x.mayHold(p, m, rest) {
			return m, true
		}
		if m >= r.depth && !x.mayHold(p, n, rest) {
			return 0, false
		}
	}
	return 0, false
}

func (x *setSearch) mayHold(p, m int, rest *rest) bool {
	r := &x.round
	for k := range x.dims {
		if rest.amounts[k] > 0 && r.holds[k].of(p, m) < rest.amounts[k] {
			return false
		}
	}
	return x.dims < 2 || r.shares.of(p, m) >= rest.share
}

// lower bounds the figures of every set that has those of f and m or more items from a
// place on.
func (x *setSearch) lower(p, m int, f *setFigures) setFigures {
	r := &x.round
	return x.atLeastRoot(setFigures{
		violations: f.violations + r.violates.of(p, m),
		sum:        f.sum + r.sums.of(p, m),
		pods:       f.pods + r.pods.of(p, m),
		cost:       addCosts(f.cost, r.costs.of(p, m)),
		top:        f.top,
	})
}

// atLeastRoot raises figures of sets to what every set comes to.
func (x *setSearch) atLeastRoot(f setFigures) setFigures {
	f = f.most(x.round.root)
	if f.violations == x.round.root.violations {
		f.top = max(f.top, x.round.topFree)
	}
	return f
}
