package exact

import (
	"math"
	"slices"
)

// Search looks for the best set. Its memory serves for the next question, and one goroutine
// uses it at a time. The zero Search is ready.
type Search struct {
	q     Question
	host  Host
	known known
	// weights say what parts of the shortages count as in shares.
	weights Row
	weighed bool

	steps, limit int
	out          bool // the limit is reached
	// bound is a score that no set beats, where the limit was reached.
	bound Score

	// best is the best set so far by item, if there is any, and score its score. chosen
	// is the set at hand, and forced lists the items that every set has.
	found  bool
	best   []bool
	score  Score
	chosen []bool
	marks  []bool // memory
	forced []int32
	// settledTop is a top that no set without violations is below.
	settledTop int32
	round      round
	tiers      tiering
}

// Ask returns the question of a host, which is empty but for Left, and stays until the next one.
func (s *Search) Ask(host Host) *Question {
	s.q.reset()
	s.host = host
	return &s.q
}

// Release drops the host.
func (s *Search) Release() { s.host = nil }

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

// cleared returns n times false, in the memory of list if it is large enough.
func cleared(list []bool, n int) []bool {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
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
