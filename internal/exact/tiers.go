package exact

import (
	"cmp"
	"slices"
)

// begin finds the tiers of the items.
func (t *tiering) begin(q *Question) {
	t.on, t.opened, t.seeded = slices.Contains(q.Measures, ByTiers), false, false
	if !t.on {
		return
	}
	t.tops, t.of = t.tops[:0], t.of[:0]
	for i := range q.Items {
		if top := q.Items[i].Top; i == 0 || top != q.Items[i-1].Top {
			t.tops = append(t.tops, top)
		}
		t.of = append(t.of, int32(len(t.tops)-1))
	}
	for _, list := range []*[]int64{&t.counts, &t.best, &t.met, &t.low.counts, &t.open.counts} {
		*list = slices.Grow((*list)[:0], len(t.tops))[:len(t.tops)]
		clear(*list)
	}
}

// beginTiers prepares for the list of a round, whose tables are filled afterwards.
func (s *Search) beginTiers() {
	t, list := &s.tiers, s.round.list
	s.round.values.tiers = s.round.values.tiers[:0]
	if !t.on {
		return
	}
	t.list = slices.Grow(t.list[:0], len(t.tops))[:len(t.tops)]
	t.alike = cleared(t.alike, len(list))
	at, held := len(list), tierList{}
	for tier := len(t.list) - 1; tier >= 0; tier-- {
		t.list[tier] = tierList{to: at, beyond: held.beyond, shares: held.shares, share: held.share}
		for at > 0 && t.of[list[at-1]] == int32(tier) {
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
	for p, i := range list {
		s.round.values.tiers = append(s.round.values.tiers, t.of[i])
		t.alike[p] = p > 0 && !s.q.Asked && s.q.Items[i].like(&s.q.Items[list[p-1]])
	}
}

// like reports whether an item differs from another in nothing that the tables have. Parts that
// take from budgets differ.
func (it *Item) like(o *Item) bool {
	return it.Top == o.Top && it.Holds == o.Holds && it.Sums == o.Sums && it.parts() == 1 && o.parts() == 1 &&
		it.Fixed == o.Fixed
}

// count counts parts of an item as taken, or below 0 as not any more.
func (t *tiering) count(item int32, parts int64) {
	if t.on {
		t.counts[t.of[item]] += parts
	}
}

// aboveTiers reports that the best set has no item of an item's tier, nor of any above it.
func (s *Search) aboveTiers(item int32) bool {
	t := &s.tiers
	return t.on && s.found && !slices.ContainsFunc(t.best[:t.of[item]+1], func(n int64) bool { return n > 0 })
}

// idle reports that an item holds nothing of what is left.
func (s *Search) idle(p int, left *rest) bool {
	it := &s.q.Items[s.round.list[p]]
	for k := range s.q.Dims {
		if left.amounts[k] > 0 && it.Holds[k] > 0 {
			return false
		}
	}
	return !s.q.Asked
}

// worthMeeting reports whether the set at hand, whose figures are f, could be taken in place
// of the best one.
func (s *Search) worthMeeting(f *Figures) bool {
	t := &s.tiers
	if !s.found {
		return true
	}
	c := cmp.Or(slices.Compare(t.counts, t.best), compareFigures(f, &s.score.Figures, s.q.Measures))
	return c < 0 || c == 0 && t.seeded
}

// mayImprove reports whether a set with the chosen items, whose figures are f, and one or more
// from a place on could be better than the best one, or be met in its place. Unless it returns
// false early, or the search goes on, low is the bound.
func (s *Search) mayImprove(p int, f *Figures, left *rest) bool {
	t, need := &s.tiers, *left
	copy(t.low.counts, t.counts)
	t.low.figures = *f
	first := int(t.of[s.round.list[p]])
	order := -1
	if s.found {
		order = slices.Compare(t.counts[:first], t.best[:first])
	}
	for tier := first; tier < len(t.list); tier++ {
		from := max(p, t.list[tier].from)
		m, ok := s.fewestOf(tier, from, &need)
		if !ok {
			return false
		}
		if t.low.counts[tier] += int64(m); order == 0 {
			order = cmp.Compare(t.low.counts[tier], t.best[tier])
		}
		if order > 0 {
			return false
		}
		if order < 0 && !s.out {
			return true // nobody will read the rest
		}
		s.cover(from, m, &need)
	}
	for k, column := range s.q.SumColumns {
		if column > 0 {
			t.low.figures.Sums[k] = max(t.low.figures.Sums[k], add(f.Sums[k], left.amounts[column-1]))
		}
	}
	if order == 0 {
		order = compareFigures(&t.low.figures, &s.score.Figures, s.q.Measures)
	}
	return order < 0 || order == 0 && t.seeded
}

// fewestOf returns how many more items of a tier have to go. It is not ok if there are not
// enough.
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
	beyond := int64(0)
	for k := range s.q.Dims {
		beyond += max(0, need.shares[k]-t.shares[k]) * s.weights[k]
	}
	return r.shares.atLeast(from, t.to, m, max(beyond, need.share-t.share))
}

// firstOpenTier returns the first tier of which the best set has more items than are known to be
// needed, -1 if there is none.
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

// atLeast returns how many of the largest values between two places add up to an amount, from m
// up.
func (table *sumTable) atLeast(from, to, m int, amount int64) (int, bool) {
	if amount <= 0 {
		return m, true
	}
	for m = max(m, 1); m <= to-from; m++ {
		if table.of(from, m) >= amount {
			return m, true
		}
	}
	return 0, false
}

// cover subtracts the most that so many items from a place on can hold from what is needed,
// and adds the least that they come to.
func (s *Search) cover(from, m int, need *rest) {
	if m == 0 {
		return
	}
	r, sums := &s.round, &s.tiers.low.figures.Sums
	for k := range s.q.Dims {
		most := r.holds[k].of(from, m)
		need.amounts[k] = max(0, need.amounts[k]-most)
		need.shares[k] = max(0, need.shares[k]-shareOf(most, s.q.Short[k])-int64(m))
	}
	need.share = max(0, need.share-r.shares.of(from, m))
	for k := range sums {
		sums[k] = add(sums[k], r.sums[k].of(from, m))
	}
}

// leaveOpen notes the bound of the sets from a place on, which nobody looks at any more.
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

// Tiers returns, after a search by tiers, the tops of these, the highest first, how many parts
// of each the best set has, and a bound: no set has less at the first of them where its numbers
// differ from the bound. proven is set where no set is better than the best one. The slices last
// until the next question.
func (s *Search) Tiers() (tops []int32, best, bound []int64, proven bool) {
	t := &s.tiers
	proven = !s.out || !t.opened ||
		cmp.Or(slices.Compare(t.best, t.open.counts), compareFigures(&s.score.Figures, &t.open.figures, s.q.Measures)) <= 0
	if proven {
		return t.tops, t.best, t.best, true
	}
	return t.tops, t.best, t.open.counts, false
}
