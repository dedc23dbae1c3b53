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
		if s.out {
			return false
		}
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

// searchLevel looks for a set without violations of the items up to the least top.
// All that no budget keeps back are taken, because the sum and the number do not matter for
// now; so only the others have to be searched.
func (s *Search) searchLevel(base *Figures, left *rest) (better bool) {
	r := &s.round
	all, weighed, figures, lacks := r.list, s.weighed, *base, *left
	kept, taken := s.splitLevel()
	for _, i := range taken {
		it := &s.q.Items[i]
		figures, lacks = s.with(&figures, it), s.without(&lacks, it)
		s.chosen[i] = true
	}
	r.list, r.dominated, r.from, s.weighed = kept, false, s.steps, true
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
	r.list, s.weighed, r.done = all, weighed, false
	if !s.found || s.score.Top > r.topFree {
		return false
	}
	copy(s.chosen, s.best)
	held := s.heldBy(s.chosen)
	for i := range s.q.Items {
		s.spareItem(int32(i), &held)
	}
	s.offer()
	return true
}

// splitLevel lists the items up to the least top that can leave without a
// violation: those of which budgets may not allow all together, and the others.
func (s *Search) splitLevel() (kept, others []int32) {
	r := &s.round
	wanted := make([]int64, len(s.q.Left))
	each := func(do func(i int32, it *Item)) {
		for _, i := range r.list {
			if it := &s.q.Items[i]; it.Top <= r.topFree && it.always == 0 {
				do(i, it)
			}
		}
	}
	each(func(_ int32, it *Item) {
		for _, b := range s.q.Charges[it.From:it.To] {
			if b >= 0 {
				wanted[b]++
			}
		}
	})
	each(func(i int32, it *Item) {
		if slices.ContainsFunc(s.q.Charges[it.From:it.To], func(b int32) bool { return b >= 0 && wanted[b] > s.q.Left[b] }) {
			kept = append(kept, i)
		} else {
			others = append(others, i)
		}
	})
	return kept, others
}

// tryLevel looks for a set without items above the least top, where the best
// one has some: all of the others but those that a budget has no allowance for, less what
// can be spared. It reports whether it found a better one.
func (s *Search) tryLevel(left *rest) bool {
	r := &s.round
	level := max(r.topFree, r.root.Top)
	if s.q.Asked || !s.known.top || left.met() || s.found && s.score.Top <= level {
		return false
	}
	f := noFigures
	clear(s.chosen)
	var took []int32
	for i := len(s.q.Items) - 1; i >= 0; i-- {
		it := &s.q.Items[i]
		forced := slices.Contains(s.forced, int32(i))
		if !forced && (it.Top > level || !slices.Contains(r.list, int32(i))) {
			continue
		}
		if g := s.with(&f, it); !forced && g.Violations > f.Violations {
			s.putBack(it)
			continue
		}
		took = append(took, int32(i))
		s.chosen[i] = true
	}
	for _, i := range took {
		s.putBack(&s.q.Items[i])
	}
	held := s.heldBy(s.chosen)
	better := false
	if s.holds(&held, &rest{amounts: s.q.Short}) {
		for i := range s.q.Items {
			s.spareItem(int32(i), &held)
		}
		better, _ = s.offer()
	}
	clear(s.chosen)
	for _, i := range s.forced {
		s.chosen[i] = true
	}
	return better
}
