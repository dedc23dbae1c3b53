package exact

import (
	"math"
	"slices"
)

// solveStart finds, of the sets that tie with the best one in all measures before it, one with
// the latest start. A set that starts no earlier than some instant has no item of the highest top
// that starts before; so the latest possible instant is found by halving.
func (s *Search) solveStart() {
	s.round.ties = true
	var starts []Instant
	for i := range s.q.Items {
		it := &s.q.Items[i]
		if it.Top == s.score.Top && s.score.Start.Before(it.Start) {
			starts = append(starts, it.Start)
		}
	}
	slices.SortFunc(starts, Instant.compare)
	starts = slices.Compact(starts)
	for from, to := 0, len(starts); from < to; {
		middle := int(uint(from+to) / 2)
		s.listUseful()
		s.round.list = slices.DeleteFunc(s.round.list, func(i int32) bool {
			it := &s.q.Items[i]
			return it.Top == s.score.Top && it.Start.Before(starts[middle])
		})
		before := s.score.Start
		if !s.forcedBefore(starts[middle]) {
			for s.search() && s.round.heavy {
			}
		}
		if s.out {
			s.bound = s.score
			s.bound.Start = starts[to-1]
			return
		}
		if s.score.Start == before {
			to = middle
			continue
		}
		for from < to && !s.score.Start.Before(starts[from]) {
			from++
		}
	}
}

// forcedBefore reports whether a forced item of the highest top starts before an instant.
func (s *Search) forcedBefore(start Instant) bool {
	return slices.ContainsFunc(s.forced, func(i int32) bool {
		it := &s.q.Items[i]
		return it.Top == s.score.Top && it.Start.Before(start)
	})
}

// boundAll returns a score that no set beats, after a search that the limit ended: that of
// the best set or one that no set of the items on the list beats, whichever is better.
func (s *Search) boundAll() Score {
	b := Score{s.atLeastRoot(s.round.root), s.q.Latest}
	top := int32(math.MaxInt32)
	for i := range s.q.Items {
		top = min(top, s.q.Items[i].Top)
	}
	if !s.known.top {
		b.Top = top
	}
	b.Top = max(b.Top, top)
	if s.found && compareScores(&s.score, &b, s.q.Measures) <= 0 {
		return s.score
	}
	return b
}

// search looks at the sets of the items on the list together with the forced ones. It
// reports whether it found one with which the list should be made anew.
func (s *Search) search() (again bool) {
	r := &s.round
	r.done, r.anew, r.heavy = false, false, false
	s.sortList()
	clear(s.chosen)
	clear(s.tiers.counts)
	base, left := noFigures, s.wholeRest()
	for _, i := range s.forced {
		it := &s.q.Items[i]
		base, left = s.with(&base, it), s.without(&left, it)
		s.chosen[i] = true
		s.tiers.count(i, it.parts())
	}
	defer func() {
		for _, i := range s.forced {
			s.putBack(&s.q.Items[i])
		}
	}()
	s.prepare()
	if !s.findRoot(&base, &left) {
		if !s.found {
			r.root = noFigures
		}
		return false
	}
	if root := s.atLeastRoot(r.root); s.hopeless(&root, r.ties) {
		return false
	}
	if len(s.forced) > 0 && left.met() && s.consider() && !s.known.goesOn {
		return false
	}
	if !s.tiers.on && s.raiseTop(&base, &left) {
		return true
	}
	if root := s.atLeastRoot(r.root); s.out || s.q.Strict && r.topFree == math.MaxInt32 || s.hopeless(&root, r.ties) {
		return false
	}
	r.dominated, r.from = false, s.steps
	clear(r.taken[:])
	s.extend(0, 1, &base, &left)
	if r.heavy && !s.out {
		s.findWeights(&left)
		return true
	}
	return r.anew && !s.out
}
