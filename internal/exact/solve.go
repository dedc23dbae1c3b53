package exact

import (
	"math"
	"slices"
)

// Ask returns a question for the host to fill in. The question is empty except for Left, and valid until the
// next call of Ask.
func (s *Search) Ask(host Host) *Question {
	s.q.reset()
	s.host = host
	return &s.q
}

// Release forgets the host and its function Ended, so that the search does not keep them alive.
func (s *Search) Release() { s.host, s.q.Ended = nil, nil }

// Solve finds the best set. All items must be away when it begins; none is when it ends.
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

// Best returns the best set, as a bool for each item, and its score. The set is valid until the next question.
// ok is false if no set makes room, or if the search ended before it found one.
func (s *Search) Best() (set []bool, score Score, ok bool) { return s.best, s.score, s.found }

// Steps returns the number of steps of the search. A step is one item that was considered as an addition to a
// set.
func (s *Search) Steps() int { return s.steps }

// Open reports whether the search ended early. Then bound is a score that no set beats.
func (s *Search) Open() (bound Score, open bool) { return s.bound, s.ended }

// begin prepares the search for the question.
func (s *Search) begin() {
	s.steps = 0
	s.ended = false
	s.found = false
	s.weighed = false
	s.forced = s.forced[:0]
	s.bound = Score{}
	s.settledTop = math.MinInt32
	for k := range s.weights {
		s.weights[k] = 1
	}

	s.q.finishItems()
	s.known = s.q.findKnown()
	s.tiers.begin(&s.q)
	s.best = cleared(s.best, len(s.q.Items))
	s.chosen = cleared(s.chosen, len(s.q.Items))
}

// findBest finds the best set: first by the measures before the start, and then, of the sets that tie, one with
// the latest start. If the limit ends the search early, ended is set and bound is a score that no set beats.
func (s *Search) findBest() {
	s.limit = s.q.Limit
	if s.q.Asked || s.known.goesOn {
		s.limit = s.q.SlowLimit
	}
	s.round.ties = s.known.open

	for {
		s.listUseful()
		if !s.search() || s.ended {
			break
		}
	}
	if s.ended {
		s.bound = s.boundAll()
		return
	}
	if s.found && s.known.start && slices.Contains(s.q.Measures, ByStart) {
		s.solveStart()
	}
}
