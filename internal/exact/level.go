package exact

import (
	"math"
	"slices"
)

// raiseTop finds out whether the least top can be had without a violation, where
// the measures look at these two first, and raises it to the next one as long as it cannot.
// It reports whether it found a better set.
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

		// No set without violations has this top, so the next one bounds it.
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

// searchLevel looks for a set without violations of the items up to the least top, and takes the one that it finds
// as far as it is better. Sums and numbers do not matter for that question: whatever no budget keeps back is taken,
// and only the other items have to be searched.
func (s *Search) searchLevel(base *Figures, left *rest) (better bool) {
	r := &s.round
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
	s.weighed = true // no weights are looked for here
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
	r.list = all
	s.weighed = weighed
	r.done = false
	if !s.found || s.score.Top > r.topFree {
		return false
	}

	// The set has more than it needs, so what can be spared stays.
	copy(s.chosen, s.best)
	held := s.heldBy(s.chosen)
	s.spareItems(&held)
	s.offer()
	return true
}

// spareItems takes every item out of the set at hand without which that holds enough, the most important first.
func (s *Search) spareItems(held *Row) {
	for i := range s.q.Items {
		s.spareItem(int32(i), held)
	}
}

// splitLevel lists the items up to the least top that can leave without a
// violation: those whose budgets may not allow all of them, and the others.
func (s *Search) splitLevel() (kept, others []int32) {
	r, q := &s.round, &s.q
	each := func(do func(i int32, it *Item)) {
		for _, i := range r.list {
			if it := &q.Items[i]; it.Top <= r.topFree && it.always == 0 {
				do(i, it)
			}
		}
	}

	wanted := make([]int64, len(q.Left)) // of each budget, if all of these leave
	each(func(_ int32, it *Item) {
		for _, b := range q.Charges[it.From:it.To] {
			if b >= 0 {
				wanted[b]++
			}
		}
	})
	each(func(i int32, it *Item) {
		if slices.ContainsFunc(q.Charges[it.From:it.To], func(b int32) bool { return b >= 0 && wanted[b] > q.Left[b] }) {
			kept = append(kept, i)
		} else {
			others = append(others, i)
		}
	})
	return kept, others
}

// tryLevel looks for a set without items above the least top, where the best
// one has some. It takes all others but those that a budget has no allowance for, and has stay
// whatever can be spared. It reports whether the set is better.
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

// takeLevel makes a set of the forced items and of those on the list up to a top that violate no budget together.
// The least important come first, so that budgets are used for them.
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
		// f stays empty, so this counts the violations that the item adds to those taken before.
		if g := s.with(&f, it); !forced && g.Violations > f.Violations {
			s.putBack(it)
			continue
		}
		took = append(took, int32(i))
		s.chosen[i] = true
	}

	// The budgets were only lent.
	for _, i := range took {
		s.putBack(&q.Items[i])
	}
}
