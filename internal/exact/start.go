package exact

import (
	"math"
	"slices"
)

// solveStart finds, of the sets that tie with the best one in all measures before the start, one with the
// latest start. A set starts no earlier than an instant if none of its items with the highest top starts before
// it. So a search without such items tells whether an instant can be reached, and the latest one is found by
// halving.
func (s *Search) solveStart() {
	s.round.ties = true
	starts := s.laterStarts() // the best set reaches those before from; no set reaches those from to on
	for from, to := 0, len(starts); from < to; {
		middle := int(uint(from+to) / 2)
		s.listUseful()
		s.round.list = slices.DeleteFunc(s.round.list, func(i int32) bool {
			return s.startsBefore(i, starts[middle])
		})

		before := s.score.Start
		forcedBefore := slices.ContainsFunc(s.forced, func(i int32) bool { return s.startsBefore(i, starts[middle]) })
		if !forcedBefore {
			for s.search() && s.round.heavy {
			}
		}
		if s.ended {
			s.bound = s.score
			s.bound.Start = starts[to-1]
			return
		}

		// The best set has changed only if a set starts no earlier than the middle. It may start much later.
		if s.score.Start == before {
			to = middle
			continue
		}
		for from < to && !s.score.Start.Before(starts[from]) {
			from++
		}
	}
}

// laterStarts returns the starts of items with the highest top that are later than the start of the best set,
// sorted.
func (s *Search) laterStarts() []Instant {
	best := &s.score
	var starts []Instant
	for i := range s.q.Items {
		it := &s.q.Items[i]
		if it.Top == best.Top && best.Start.Before(it.Start) {
			starts = append(starts, it.Start)
		}
	}
	slices.SortFunc(starts, Instant.compare)
	return slices.Compact(starts)
}

// startsBefore reports whether an item has the same top as the best set and starts before an instant.
func (s *Search) startsBefore(i int32, start Instant) bool {
	it := &s.q.Items[i]
	return it.Top == s.score.Top && it.Start.Before(start)
}

// boundAll returns a score that no set beats, after a search that the limit ended: the score of the best set,
// or the bound for sets of the list if that is better. Sets with items that are not on the list are no better
// than the best one.
func (s *Search) boundAll() Score {
	b := Score{s.atLeastRoot(s.round.root), s.q.Latest}
	top := int32(math.MaxInt32)
	for i := range s.q.Items {
		top = min(top, s.q.Items[i].Top)
	}
	if !s.known.top { // the first item need not have the highest top
		b.Top = top
	}
	b.Top = max(b.Top, top)

	if s.found && compareScores(&s.score, &b, s.q.Measures) <= 0 {
		return s.score
	}
	return b
}

// search looks at the sets of the forced items and of items on the list. It reports whether, after what it has
// found, the list should be made anew and searched again.
func (s *Search) search() (again bool) {
	r := &s.round
	r.done = false
	r.anew = false
	r.heavy = false
	s.sortList()
	base, left := s.takeForced()
	defer func() {
		for _, i := range s.forced {
			s.putBack(&s.q.Items[i])
		}
	}()
	s.prepare()

	// The bound of the whole list may already show that no set is better.
	if !s.findRoot(&base, &left) {
		if !s.found {
			r.root = noFigures
		}
		return false
	}
	if root := s.atLeastRoot(r.root); s.hopeless(&root, r.ties) {
		return false
	}

	// Every set contains the forced items, so none is better if these are enough.
	if len(s.forced) > 0 && left.met() && s.consider() && !s.known.goesOn {
		return false
	}
	if !s.tiers.on && s.raiseTop(&base, &left) {
		return true
	}
	// raiseTop may have raised the bound. For a strict question there is no set if no top allows one without
	// violations.
	if root := s.atLeastRoot(r.root); s.ended || s.q.Strict && r.topFree == math.MaxInt32 || s.hopeless(&root, r.ties) {
		return false
	}

	r.dominated = false
	r.from = s.steps
	clear(r.taken[:])
	s.extend(0, 1, &base, &left)

	// A round that took long is ended to look for weights. Its best set stays the one to beat in the next
	// round.
	if r.heavy && !s.ended {
		s.findWeights(&left)
		return true
	}
	return r.anew && !s.ended
}

// takeForced begins a set with the forced items. It returns their figures, and the rest that other items have
// to hold.
func (s *Search) takeForced() (Figures, rest) {
	clear(s.chosen)
	clear(s.tiers.counts)
	base, left := noFigures, s.wholeRest()
	for _, i := range s.forced {
		it := &s.q.Items[i]
		base, left = s.with(&base, it), s.without(&left, it)
		s.chosen[i] = true
		s.tiers.count(i, it.parts())
	}
	return base, left
}
