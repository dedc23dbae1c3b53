package exact

import (
	"math"
	"slices"
)

// Ask returns the question of a host, which is empty but for Left, and stays until the next one.
func (s *Search) Ask(host Host) *Question {
	s.q.reset()
	s.host = host
	return &s.q
}

// Release drops what belongs to the host.
func (s *Search) Release() { s.host, s.q.Ended = nil, nil }

// Solve finds the best set. All items are away when it begins, and none when it ends.
func (s *Search) Solve() {
	s.begin()
	if s.q.Asked && s.q.Gains {
		s.force()
	} else {
		for i := range s.q.Items {
			s.host.Return(int32(i))
		}
	}
	if s.q.Helps {
		s.startFrom()
	}
	s.findBest()
	for _, i := range s.forced {
		s.host.Return(i)
	}
}

// Best returns the best set by item, which lasts until the next question. It is not ok if there
// is no set that makes room or, after a search that ended early, none was met.
func (s *Search) Best() (set []bool, score Score, ok bool) { return s.best, s.score, s.found }

// Steps returns how many steps the search took: one for each item that it looked at beside
// others.
func (s *Search) Steps() int { return s.steps }

// Open reports whether the search ended early. Then bound is a score that no set beats.
func (s *Search) Open() (bound Score, open bool) { return s.bound, s.out }

// begin prepares the search for the question.
func (s *Search) begin() {
	s.steps, s.out, s.found, s.weighed = 0, false, false, false
	s.forced, s.bound, s.settledTop = s.forced[:0], Score{}, math.MinInt32
	for k := range s.weights {
		s.weights[k] = 1
	}
	s.q.finishItems()
	s.known = s.q.findKnown()
	s.tiers.begin(&s.q)
	s.best = cleared(s.best, len(s.q.Items))
	s.chosen = cleared(s.chosen, len(s.q.Items))
}

// findBest finds the best set: first by the measures before the start, then the one of those
// with the latest start. s.out is set if the limit ends that early; s.bound then bounds the
// score of every set.
func (s *Search) findBest() {
	s.limit = s.q.Limit
	if s.q.Asked || s.known.goesOn {
		s.limit = s.q.SlowLimit
	}
	s.round.ties = s.known.open
	for {
		s.listUseful()
		if !s.search() || s.out {
			break
		}
	}
	if s.out {
		s.bound = s.boundAll()
		return
	}
	if s.found && s.known.start && slices.Contains(s.q.Measures, ByStart) {
		s.solveStart()
	}
}
