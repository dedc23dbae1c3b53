package exact

import (
	"cmp"
	"math"
	"slices"
)

// findRoot bounds the figures of all sets that have the forced items and items on the list.
// It reports whether there can be such a set that holds enough.
func (s *Search) findRoot(base *Figures, left *rest) bool {
	r, measures := &s.round, s.q.Measures
	r.root, r.topFree = *base, math.MinInt32
	if left.met() || s.tiers.on {
		return true
	}
	m, ok := s.fewest(0, 1, left)
	if !ok {
		return false
	}

	r.root = s.lower(0, m, base)
	r.root.Violations = max(r.root.Violations, base.Violations+s.fewestViolations(left))

	byTop := slices.Clone(r.list)
	slices.SortFunc(byTop, func(i, j int32) int { return cmp.Compare(s.q.Items[i].Top, s.q.Items[j].Top) })
	r.root.Top = max(r.root.Top, s.topThatHolds(byTop, left, false))

	// If violations are compared before the top and no further violation is needed, a set with one more is
	// worse. So only sets without further violations matter for the top.
	r.topFree = r.root.Top
	v, t := slices.Index(measures, ByViolations), slices.Index(measures, ByTop)
	if v >= 0 && v < t && r.root.Violations == base.Violations {
		r.topFree = s.topThatHolds(byTop, left, true)
	}
	if s.sparesForTop(base) {
		r.topFree = max(r.topFree, r.root.Top, s.settledTop)
	}
	return true
}

// topThatHolds returns the lowest top such that the items up to it hold the rest. With free, only items that
// need not violate a budget count, and no more parts of a budget than it allows. byTop has the items sorted by
// top.
func (s *Search) topThatHolds(byTop []int32, left *rest, free bool) int32 {
	var held Row
	for at, i := range byTop {
		it := &s.q.Items[i]
		if !free || it.always == 0 {
			s.addHeld(&held, it)
		}
		last := at == len(byTop)-1 || s.q.Items[byTop[at+1]].Top != it.Top // the last item with this top
		if last && s.holds(&held, left) && (!free || s.holdsFreely(byTop[:at+1], left)) {
			return it.Top
		}
	}
	return math.MaxInt32
}

// holdsFreely reports whether items can hold the rest, column by column, with no more
// parts of each budget than it still allows. The forced items may have taken more than a
// budget had, which then allows none. Items with several parts count as if they had no budget.
func (s *Search) holdsFreely(items []int32, left *rest) bool {
	q := &s.q
	budgetOf := func(i int32) int32 {
		if it := &q.Items[i]; it.parts() == 1 {
			return q.Charges[it.From]
		}
		return -1
	}

	// Items without a budget all count. The others are grouped by their budget.
	var held Row
	byBudget := make([][]int32, 0, 8)
	for _, i := range items {
		it, b := &q.Items[i], budgetOf(i)
		switch at := slices.IndexFunc(byBudget, func(group []int32) bool { return budgetOf(group[0]) == b }); {
		case it.always > 0:
		case b < 0:
			s.addHeld(&held, it)
		case at < 0:
			byBudget = append(byBudget, []int32{i})
		default:
			byBudget[at] = append(byBudget[at], i)
		}
	}

	// For each budget, the largest amounts that it allows count, chosen for each column separately. That is no
	// less than any set of its items can hold.
	for _, group := range byBudget {
		allowed := int(max(0, min(q.Left[budgetOf(group[0])], int64(len(group)))))
		for k := range q.Dims {
			slices.SortFunc(group, func(i, j int32) int { return cmp.Compare(q.Items[j].Holds[k], q.Items[i].Holds[k]) })
			for _, i := range group[:allowed] {
				held[k] = add(held[k], q.Items[i].Holds[k])
			}
		}
	}
	return s.holds(&held, left)
}

// fewestViolations bounds from below the number of parts that violate a budget in any set of the list that
// holds the rest. Suppose that each budget gives the parts that it has left for free, and every further part
// costs 1. For one column, or for shares with any weights, taking the largest free amounts first and then the
// largest of all others costs least (ENGINE.md). The bound is the largest of these costs over all columns and
// some weights.
func (s *Search) fewestViolations(left *rest) (most int64) {
	for k := range s.q.Dims {
		if left.amounts[k] > 0 {
			n, _ := s.paidFor(left.amounts[k], func(it *Item) int64 { return it.Holds[k] })
			most = max(most, n)
		}
	}
	// Weighted sums take more time. They are worth it if they may prove that the best set has the fewest
	// violations.
	if s.q.Dims < 2 || !slices.Contains(s.q.Measures, ByViolations) || !s.found || most >= s.score.Violations {
		return most
	}
	weights := s.weights
	defer func() { s.weights = weights }()
	for k := range s.q.Dims {
		s.weights[k] = oneWeight
	}
	for range mostTurns {
		n, held := s.paidFor(s.weigh(&left.shares), func(it *Item) int64 { return s.weigh(&it.shares) })
		if most = max(most, n); !s.shiftWeights(left, &held) {
			break
		}
	}
	return most
}

// paidFor returns the least number of violating parts that are needed to hold an amount, and the shares of the
// items that were taken for it.
func (s *Search) paidFor(amount int64, amountOf func(it *Item) int64) (paid int64, held Row) {
	s.sortByCost(amountOf)
	v := &s.violating
	v.taken = slices.Grow(v.taken[:0], len(s.q.Left))[:len(s.q.Left)]
	clear(v.taken)
	take := func(x *paidItem) {
		amount -= x.amount
		for k := range s.q.Dims {
			held[k] += s.q.Items[x.item].shares[k]
		}
	}

	// Each budget gives the parts that it has left. Its further items cost a violation each.
	for i := range v.free {
		x := &v.free[i]
		if x.budget >= 0 {
			if v.taken[x.budget]++; v.taken[x.budget] > s.q.Left[x.budget] {
				v.paid = append(v.paid, *x)
				continue
			}
		}
		take(x)
	}

	slices.SortFunc(v.paid, largestFirst)
	for i := range v.paid {
		if amount <= 0 {
			break
		}
		paid++
		take(&v.paid[i])
	}
	return paid, held
}

// sortByCost divides the items on the list into paid, which violate a budget in any case, and free, sorted with
// the largest first.
func (s *Search) sortByCost(amountOf func(it *Item) int64) {
	v := &s.violating
	v.free, v.paid = v.free[:0], v.paid[:0]
	for _, i := range s.round.list {
		it := &s.q.Items[i]
		x := paidItem{item: i, budget: -1, amount: amountOf(it)}
		switch {
		case it.always > 0:
			v.paid = append(v.paid, x)
			continue
		case it.parts() == 1:
			x.budget = s.q.Charges[it.From]
		}
		v.free = append(v.free, x)
	}
	slices.SortFunc(v.free, largestFirst)
}

// largestFirst orders items by falling amount, and items with equal amounts by their index.
func largestFirst(a, b paidItem) int {
	return cmp.Or(cmp.Compare(b.amount, a.amount), cmp.Compare(a.item, b.item))
}

// sparesForTop reports whether the first two measures are ByViolations and ByTop, whether both have bounds, and
// whether as far as known no violation is needed.
func (s *Search) sparesForTop(base *Figures) bool {
	return !s.q.Asked && s.known.top && !s.q.Overlaps && s.known.compared > 1 &&
		s.q.Measures[0] == ByViolations && s.q.Measures[1] == ByTop &&
		base.Violations == 0 && s.root().Violations == 0
}

// root returns figures that bound those of all sets of the round from below.
func (s *Search) root() *Figures { return &s.round.root }

// force finds the items that every set must have: an item is forced if there is no room with it even when all
// others leave. This is valid only if Gains is set. All items are away when force begins, and only the forced
// ones when it ends. If everything that has no column already agrees then, it agrees to any larger set, and the
// host need not be asked about sets.
func (s *Search) force() {
	for i := range s.q.Items {
		s.host.Return(int32(i))
		if !s.host.Fits() {
			s.forced = append(s.forced, int32(i))
		}
		s.host.Leave(int32(i))
	}
	s.eachFree(s.host.Return)
	s.q.Asked = s.q.Coarse || !s.host.Allows()
}
