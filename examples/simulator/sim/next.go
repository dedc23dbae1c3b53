package sim

import "time"

// Next is when the next step is; false where there is none any more.
func (s *Simulation) Next() (time.Duration, bool) {
	at, ok := s.agenda.next()
	if cycle, may := s.nextCycle(); may && (!ok || cycle < at) {
		return cycle, true
	}
	return at, ok
}

// nextCycle is when the scheduler looks at the next pod if nothing else happens.
func (s *Simulation) nextCycle() (time.Duration, bool) {
	if s.allTried() {
		return 0, false
	}
	ready, ok := s.queue.NextReady(s.Time())
	if !ok {
		return 0, false
	}
	return max(s.at, s.busy, ready.Sub(s.config.Start)), true
}

// allTried reports whether every pod that waits was tried since anything changed.
// Those that are gated cannot be tried.
func (s *Simulation) allTried() bool {
	return s.tried+s.untriedGated() == s.inQueue
}

// untriedGated counts the gated pods that were not tried in this state. Where pods
// are gated by nothing but themselves, which is a change, none was.
func (s *Simulation) untriedGated() int {
	gated := s.queue.Counts().Gated
	if gated == 0 || len(s.config.Queue.Gates) == 0 {
		return gated
	}
	untried := 0
	for _, e := range podsOf(s.queue.Pending().Gated) {
		// Pods that were refused in numbers do not know it for themselves.
		tried := s.pods[e.Pod.Key()].tried == s.state || s.sharing && e.Cycle > s.since
		untried += one(!tried)
	}
	return untried
}
