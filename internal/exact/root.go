package exact

import (
	"cmp"
	"math"
	"slices"
)

// findRoot bounds the figures of every set of the items on the list, with the forced ones.
// It reports whether there can be any set at all.
func (s *Search) findRoot(base *Figures, left *rest) bool {
	r := &s.round
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
	r.topFree = r.root.Top
	v, t := slices.Index(s.q.Measures, ByViolations), slices.Index(s.q.Measures, ByTop)
	if v >= 0 && v < t && r.root.Violations == base.Violations {
		r.topFree = s.topThatHolds(byTop, left, true)
	}
	if s.sparesForTop(base) {
		r.topFree = max(r.topFree, r.root.Top, s.settledTop)
	}
	return true
}

// topThatHolds returns the lowest top up to which items hold the rest: all of them,
// or those that need not violate a budget, where of the parts of a budget no more count
// than it allows. The items are sorted by top.
func (s *Search) topThatHolds(byTop []int32, left *rest, free bool) int32 {
	var held Row
	for at, i := range byTop {
		it := &s.q.Items[i]
		if !free || it.always == 0 {
			s.addHeld(&held, it)
		}
		last := at == len(byTop)-1 || s.q.Items[byTop[at+1]].Top != it.Top
		if last && s.holds(&held, left) && (!free || s.holdsFreely(byTop[:at+1], left)) {
			return it.Top
		}
	}
	return math.MaxInt32
}

// holdsFreely reports whether items can hold the rest, resource by resource, with no more
// parts of each budget than it still allows. The forced items may have taken more than a
// budget had, which then allows none.
func (s *Search) holdsFreely(items []int32, left *rest) bool {
	var held Row
	byBudget := make([][]int32, 0, 8)
	for _, i := range items {
		it := &s.q.Items[i]
		b := int32(-1)
		if it.parts() == 1 {
			b = s.q.Charges[it.From]
		}
		switch at := slices.IndexFunc(byBudget, func(of []int32) bool { return s.q.Charges[s.q.Items[of[0]].From] == b }); {
		case it.always > 0:
		case b < 0:
			s.addHeld(&held, it)
		case at < 0:
			byBudget = append(byBudget, []int32{i})
		default:
			byBudget[at] = append(byBudget[at], i)
		}
	}
	for _, of := range byBudget {
		allowed := int(max(0, min(s.q.Left[s.q.Charges[s.q.Items[of[0]].From]], int64(len(of)))))
		for k := range s.q.Dims {
			slices.SortFunc(of, func(i, j int32) int { return cmp.Compare(s.q.Items[j].Holds[k], s.q.Items[i].Holds[k]) })
			for _, i := range of[:allowed] {
				held[k] = add(held[k], s.q.Items[i].Holds[k])
			}
		}
	}
	return s.holds(&held, left)
}

// fewestViolations bounds from below how many parts of the list violate a budget in any set
// that holds the rest. Let each budget give what it has left for nothing, and let every further
// part cost 1. For one column, or for shares with any weights, the least cost is had by taking
// the largest amounts of what is free, then the largest of all others (ENGINE.md). The most that
// a column or a weighting comes to is the bound.
func (s *Search) fewestViolations(left *rest) (most int64) {
	for k := range s.q.Dims {
		if left.amounts[k] > 0 {
			n, _ := s.paidFor(left.amounts[k], func(it *Item) int64 { return it.Holds[k] })
			most = max(most, n)
		}
	}
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

// paidFor returns how many parts that violate a budget are needed at least for an amount, and
// the shares that the items taken for it have.
func (s *Search) paidFor(amount int64, of func(it *Item) int64) (paid int64, held Row) {
	v := &s.violating
	v.free, v.paid = v.free[:0], v.paid[:0]
	for _, i := range s.round.list {
		it := &s.q.Items[i]
		x := paidItem{item: i, budget: -1, amount: of(it)}
		switch {
		case it.always > 0:
			v.paid = append(v.paid, x)
			continue
		case it.parts() == 1:
			x.budget = s.q.Charges[it.From]
		}
		v.free = append(v.free, x)
	}
	largest := func(a, b paidItem) int { return cmp.Or(cmp.Compare(b.amount, a.amount), cmp.Compare(a.item, b.item)) }
	slices.SortFunc(v.free, largest)
	v.taken = slices.Grow(v.taken[:0], len(s.q.Left))[:len(s.q.Left)]
	clear(v.taken)
	take := func(x *paidItem) {
		amount -= x.amount
		for k := range s.q.Dims {
			held[k] += s.q.Items[x.item].shares[k]
		}
	}
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
	slices.SortFunc(v.paid, largest)
	for i := range v.paid {
		if amount <= 0 {
			break
		}
		paid++
		take(&v.paid[i])
	}
	return paid, held
}

// sparesForTop reports whether the first two measures are the violations, of which none is
// needed, and the top, and whether both can be told from budgets and amounts.
func (s *Search) sparesForTop(base *Figures) bool {
	return !s.q.Asked && s.known.top && !s.q.Overlaps && s.known.compared > 1 &&
		s.q.Measures[0] == ByViolations && s.q.Measures[1] == ByTop &&
		base.Violations == 0 && s.round.root.Violations == 0
}

// force takes the items away that every set has to have, where sets that make room make room
// with any more items gone: those beside which there is none even if all others leave. All are
// away now. Where everything but the columns agrees without these alone, the host need not be
// asked about any set.
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
