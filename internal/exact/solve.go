package exact

import (
	"math"
	"slices"
)

// Ask returns the question of a host, for it to fill in. The question is empty except for Left, and lasts until the
// next one.
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

// Best returns the best set by item, which lasts until the next question. It is not ok if no set makes room,
// and if a search that ended early met none.
func (s *Search) Best() (set []bool, score Score, ok bool) { return s.best, s.score, s.found }

// Steps returns how many steps the search took: one for each item that it looked at beside
// others.
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

// findBest finds the best set: first by the measures before the start, and then the one of those that tie
// with the latest start. If the limit ends it early it sets ended, and bound then bounds the
// score of every set.
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
