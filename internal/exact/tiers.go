package exact

import (
	"cmp"
	"slices"
)

// begin finds the tiers of the items.
func (t *tiering) begin(q *Question) {
	t.on = slices.Contains(q.Measures, ByTiers)
	t.opened = false
	t.seeded = false
	if !t.on {
		return
	}

	t.tops, t.tierOf = t.tops[:0], t.tierOf[:0]
	for i := range q.Items {
		if top := q.Items[i].Top; i == 0 || top != q.Items[i-1].Top {
			t.tops = append(t.tops, top)
		}
		t.tierOf = append(t.tierOf, int32(len(t.tops)-1))
	}
	for _, list := range []*[]int64{&t.counts, &t.best, &t.met, &t.low.counts, &t.open.counts} {
		*list = slices.Grow((*list)[:0], len(t.tops))[:len(t.tops)]
		clear(*list)
	}
}

// beginTiers divides the list of a round into tiers, before the tables are filled. It goes from the last tier
// to the first, and adds up what the items of later tiers hold.
func (s *Search) beginTiers() {
	t, list, values := &s.tiers, s.round.list, &s.round.values
	values.tiers = values.tiers[:0]
	if !t.on {
		return
	}

	t.list = slices.Grow(t.list[:0], len(t.tops))[:len(t.tops)]
	t.alike = cleared(t.alike, len(list))

	// held adds up the items of the tiers that were passed, which come later in the list.
	at, held := len(list), tierList{}
	for tier := len(t.list) - 1; tier >= 0; tier-- {
		t.list[tier] = tierList{to: at, beyond: held.beyond, shares: held.shares, share: held.share}
		for at > 0 && t.tierOf[list[at-1]] == int32(tier) {
			at--
			it := &s.q.Items[list[at]]
			s.addHeld(&held.beyond, it)
			held.share += it.share
			for k := range s.q.Dims {
				held.shares[k] += it.shares[k]
			}
		}
		t.list[tier].from = at
	}

	// Answers of a host may tell like items apart, so none are alike if it is asked about every set.
	for p, i := range list {
		values.tiers = append(values.tiers, t.tierOf[i])
		t.alike[p] = p > 0 && !s.q.Asked && s.q.Items[i].like(&s.q.Items[list[p-1]])
	}
}

// like reports whether two items are equal in everything that the search by tiers looks at. Items with several
// parts are never alike.
func (it *Item) like(o *Item) bool {
	return it.Top == o.Top && it.Holds == o.Holds && it.Sums == o.Sums && it.parts() == 1 && o.parts() == 1 &&
		it.Fixed == o.Fixed
}

// count adds parts of an item to the numbers of the set at hand. Negative parts are taken away.
func (t *tiering) count(item int32, parts int64) {
	if t.on {
		t.counts[t.tierOf[item]] += parts
	}
}

// aboveTiers reports whether the best set has no item of the item's tier or a higher one. A set with the item
// is then worse.
func (s *Search) aboveTiers(item int32) bool {
	t := &s.tiers
	return t.on && s.found && !slices.ContainsFunc(t.best[:t.tierOf[item]+1], func(n int64) bool { return n > 0 })
}

// idle reports whether taking an item is useless: it holds nothing of the rest, and the host is not asked about
// sets.
func (s *Search) idle(p int, left *rest) bool {
	it := &s.q.Items[s.round.list[p]]
	for k := range s.q.Dims {
		if left.amounts[k] > 0 && it.Holds[k] > 0 {
			return false
		}
	}
	return !s.q.Asked
}

// worthMeeting reports whether the set at hand, whose figures are f, could replace the best one.
func (s *Search) worthMeeting(f *Figures) bool {
	t := &s.tiers
	if !s.found {
		return true
	}
	c := cmp.Or(slices.Compare(t.counts, t.best), compareFigures(f, &s.score.Figures, s.q.Measures))
	return c < 0 || c == 0 && t.seeded
}

// mayImprove reports whether a set with the chosen items, whose figures are f, and one or more items from a
// place on could be better than the best one, or replace it in a tie. If it returns true in a search that has
// ended, low is the bound of these sets.
func (s *Search) mayImprove(p int, f *Figures, left *rest) bool {
	t, need := &s.tiers, *left
	low := &t.low
	copy(low.counts, t.counts)
	low.figures = *f
	first := int(t.tierOf[s.round.list[p]])
	order := -1 // how the bound compares with the best set in the tiers so far
	if s.found {
		order = slices.Compare(t.counts[:first], t.best[:first])
	}

	// Tier by tier, the fewest items that can hold the rest are added to the bound. A tier in which the bound
	// is above the best set decides against these sets, and one in which it is below decides for them.
	for tier := first; tier < len(t.list); tier++ {
		from := max(p, t.list[tier].from)
		m, ok := s.fewestOf(tier, from, &need)
		if !ok {
			return false
		}
		if low.counts[tier] += int64(m); order == 0 {
			order = cmp.Compare(low.counts[tier], t.best[tier])
		}
		if order > 0 {
			return false
		}
		if order < 0 && !s.ended {
			return true // the rest of the bound is needed only in an ended search
		}
		s.cover(from, m, &need)
	}

	// A sum with a column of the same amounts grows by no less than the amount that is left of the column.
	sums := &low.figures.Sums
	for k, column := range s.q.SumColumns {
		if column > 0 {
			sums[k] = max(sums[k], add(f.Sums[k], left.amounts[column-1]))
		}
	}
	if order == 0 {
		order = compareFigures(&low.figures, &s.score.Figures, s.q.Measures)
	}
	return order < 0 || order == 0 && t.seeded
}

// fewestOf returns the least number of further items of a tier that have to leave. ok is false if the tier has
// too few. Each column, and the shares, give a bound: the items must hold what all items of the later tiers
// cannot.
func (s *Search) fewestOf(tier, from int, need *rest) (m int, ok bool) {
	t, r := &s.tiers.list[tier], &s.round
	for k := range s.q.Dims {
		if m, ok = r.holds[k].atLeast(from, t.to, m, need.amounts[k]-t.beyond[k]); !ok {
			return 0, false
		}
	}
	if s.q.Dims < 2 {
		return m, true
	}

	// Later tiers may hold more of a column than is needed. In the sum of shares that excess would make up for
	// other columns, so the difference is taken column by column, too.
	beyond := int64(0)
	for k := range s.q.Dims {
		beyond += max(0, need.shares[k]-t.shares[k]) * s.weights[k]
	}
	return r.shares.atLeast(from, t.to, m, max(beyond, need.share-t.share))
}

// firstOpenTier returns the first tier of which the best set has more items than the bound requires, -1 if
// there is none.
func (s *Search) firstOpenTier(left *rest) int {
	need := *left
	for tier := range s.tiers.list {
		from := s.tiers.list[tier].from
		m, ok := s.fewestOf(tier, from, &need)
		if !ok {
			return -1
		}
		if s.found && int64(m) < s.tiers.best[tier] {
			return tier
		}
		s.cover(from, m, &need)
	}
	return -1
}

// atLeast returns the number of largest values between two places that are needed to add up to an amount, at
// least m. The result is false if all of them are not enough.
func (table *sumTable) atLeast(from, to, m int, amount int64) (int, bool) {
	if amount <= 0 {
		return m, true
	}
	for m = max(m, 1); m <= to-from; m++ {
		if table.sum(from, m) >= amount {
			return m, true
		}
	}
	return 0, false
}

// cover subtracts from need the most that m items from a place on can hold, and adds their least sums to the
// bound. Shares are rounded up, so the shares of m items are at most the share of their total amount plus m.
func (s *Search) cover(from, m int, need *rest) {
	if m == 0 {
		return
	}
	r, low := &s.round, &s.tiers.low
	for k := range s.q.Dims {
		most := r.holds[k].sum(from, m)
		need.amounts[k] = max(0, need.amounts[k]-most)
		need.shares[k] = max(0, need.shares[k]-shareOf(most, s.q.Short[k])-int64(m))
	}
	need.share = max(0, need.share-r.shares.sum(from, m))
	sums := &low.figures.Sums
	for k := range sums {
		sums[k] = add(sums[k], r.sums[k].sum(from, m))
	}
}

// leaveOpen notes the bound of the sets with items from a place on, which an ended search does not look at. The
// best of all such bounds is kept.
func (s *Search) leaveOpen(p int, f *Figures, left *rest) {
	t := &s.tiers
	if !t.on || p >= len(s.round.list) || !s.mayImprove(p, f, left) {
		return
	}
	if t.opened && cmp.Or(slices.Compare(t.low.counts, t.open.counts), compareFigures(&t.low.figures, &t.open.figures, s.q.Measures)) >= 0 {
		return
	}
	t.opened = true
	copy(t.open.counts, t.low.counts)
	t.open.figures = t.low.figures
}

// Tiers returns the result of a search by tiers: the top of each tier, the highest first, the number of parts
// that the best set has in each, and a bound. In the first tier in which the number of a set differs from the
// bound, it is larger. proven says that no set is better than the best one. The slices are valid until the next
// question.
func (s *Search) Tiers() (tops []int32, best, bound []int64, proven bool) {
	t := &s.tiers
	proven = !s.ended || !t.opened ||
		cmp.Or(slices.Compare(t.best, t.open.counts), compareFigures(&s.score.Figures, &t.open.figures, s.q.Measures)) <= 0
	if proven {
		return t.tops, t.best, t.best, true
	}
	return t.tops, t.best, t.open.counts, false
}
