package exact

import (
	"math"
	"slices"
)

// raiseTop looks for the lowest top that a set without violations can have, if these two measures come first.
// As long as no set has the top topFree, it raises that bound to the next top. It reports whether it found a
// better set.
func (s *Search) raiseTop(base *Figures, left *rest) (better bool) {
	r := &s.round
	if left.met() || !s.sparesForTop(base) {
		return s.tryLevel(left)
	}

	for !s.found || s.score.Top > r.topFree {
		if s.tryLevel(left) || s.searchLevel(base, left) {
			return true
		}
		if s.ended {
			return false
		}

		// No set without violations has this top or a lower one, so the next top is a bound.
		next := int32(math.MaxInt32)
		for _, i := range r.list {
			if top := s.q.Items[i].Top; top > r.topFree {
				next = min(next, top)
			}
		}
		s.settledTop, r.topFree = next, next
		if next == math.MaxInt32 {
			break
		}
	}
	s.prepare()
	return false
}

// searchLevel looks for a set without violations among the items with a top up to topFree, and keeps the set if
// it is better. Only the existence of a set matters, not its sums and numbers: so all items that no budget can
// limit are taken, and only the others are searched.
func (s *Search) searchLevel(base *Figures, left *rest) (better bool) {
	r := &s.round

	// The items that budgets do not limit are taken, and the search runs on a list of the others.
	all, weighed := r.list, s.weighed
	kept, taken := s.splitLevel()
	figures, lacks := *base, *left
	for _, i := range taken {
		it := &s.q.Items[i]
		figures, lacks = s.with(&figures, it), s.without(&lacks, it)
		s.chosen[i] = true
	}

	r.list = kept
	r.dominated = false
	r.from = s.steps
	s.weighed = true // keeps extend from stopping to look for weights
	clear(r.taken[:])
	s.prepare()
	if lacks.met() {
		s.consider()
	} else {
		s.extend(0, 1, &figures, &lacks)
	}

	for _, i := range taken {
		s.putBack(&s.q.Items[i])
		s.chosen[i] = false
	}

	// The round goes on with its own list. Its best set may have changed.
	r.list = all
	s.weighed = weighed
	r.done = false
	if !s.found || s.score.Top > r.topFree {
		return false
	}

	// The set has more items than it needs, so every item that can be spared is taken out.
	copy(s.chosen, s.best)
	held := s.heldBy(s.chosen)
	s.spareItems(&held)
	s.offer()
	return true
}

// spareItems takes items out of the set at hand, the most important first, each if the set holds enough without
// it.
func (s *Search) spareItems(held *Row) {
	for i := range s.q.Items {
		s.spareItem(int32(i), held)
	}
}

// splitLevel lists the items with a top up to topFree that can leave without a violation. kept are those with a
// budget that does not allow all of its items to leave, others are the rest.
func (s *Search) splitLevel() (kept, others []int32) {
	r, q := &s.round, &s.q
	each := func(do func(i int32, it *Item)) {
		for _, i := range r.list {
			if it := &q.Items[i]; it.Top <= r.topFree && it.always == 0 {
				do(i, it)
			}
		}
	}

	wanted := make([]int64, len(q.Left)) // how many parts take from each budget if all these items leave
	each(func(_ int32, it *Item) {
		for _, b := range q.Charges[it.From:it.To] {
			if b >= 0 {
				wanted[b]++
			}
		}
	})

	// An item whose budgets allow all of these items to leave never competes for a budget.
	each(func(i int32, it *Item) {
		if slices.ContainsFunc(q.Charges[it.From:it.To], func(b int32) bool { return b >= 0 && wanted[b] > q.Left[b] }) {
			kept = append(kept, i)
		} else {
			others = append(others, i)
		}
	})
	return kept, others
}

// tryLevel tries a set without items above the lowest possible top, if the best set has such items. It takes
// all other items that budgets allow, and then takes out what can be spared. It reports whether the set is
// better than the best one.
func (s *Search) tryLevel(left *rest) bool {
	r, q := &s.round, &s.q
	level := max(r.topFree, r.root.Top)
	if q.Asked || !s.known.top || left.met() || s.found && s.score.Top <= level {
		return false
	}

	s.takeLevel(level)
	held := s.heldBy(s.chosen)
	better := false
	if s.holds(&held, &rest{amounts: q.Short}) {
		s.spareItems(&held)
		better, _ = s.offer()
	}

	clear(s.chosen)
	for _, i := range s.forced {
		s.chosen[i] = true
	}
	return better
}

// takeLevel makes a set of the forced items and of the items on the list up to a top, as far as they violate no
// budget together. The least important come first, so that budgets are used for them.
func (s *Search) takeLevel(level int32) {
	r, q := &s.round, &s.q
	f := noFigures
	clear(s.chosen)
	var took []int32
	for i := len(q.Items) - 1; i >= 0; i-- {
		it := &q.Items[i]
		forced := slices.Contains(s.forced, int32(i))
		if !forced && (it.Top > level || !slices.Contains(r.list, int32(i))) {
			continue
		}
		// f never changes, so g counts the violations that this item adds to those of the items taken before.
		if g := s.with(&f, it); !forced && g.Violations > f.Violations {
			s.putBack(it)
			continue
		}
		took = append(took, int32(i))
		s.chosen[i] = true
	}

	// The set is only a proposal, so the budgets are given back.
	for _, i := range took {
		s.putBack(&q.Items[i])
	}
}
