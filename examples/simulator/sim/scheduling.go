package sim

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// scheduling is what the schedulers do with the pods in the queue.
type scheduling struct {
	config *Config
	// gates is set if the configuration of the queue has gates, which may hold pods back.
	gates bool
	dice  *rand.Rand // decides ties; nil takes the first node
	// busy is the time at which the present cycle ends.
	busy time.Duration
	// atOnce counts the attempts since time last passed or something else happened.
	atOnce int

	clock   *clock
	lives   *lives
	cluster *cluster
	tries   *tries
	line    *line
	sharing *sharing
	gangs   *gangs
	tally   *tally
	actions *actions
}

// nextCycle returns the time of the next scheduling cycle if nothing else happens before. It returns false if
// no pod could have another result than before.
func (s *scheduling) nextCycle() (time.Duration, bool) {
	if s.allTried() {
		return 0, false
	}
	ready, ok := s.line.nextReady()
	if !ok {
		return 0, false
	}
	return max(s.clock.at, s.busy, ready.Sub(s.clock.start)), true
}

// allTried reports whether every waiting pod has been tried since anything changed. Gated pods cannot be
// tried.
func (s *scheduling) allTried() bool {
	return s.tries.tried+s.untriedGated() == s.line.inQueue
}

// untriedGated counts the gated pods that have not been tried in this state.
func (s *scheduling) untriedGated() int {
	// Without configured gates a pod is gated only by its own field. That field changes only from outside,
	// which begins a new state, so none of the gated pods was tried in this one.
	gated := s.line.gated()
	if gated == 0 || !s.gates {
		return gated
	}

	untried := 0
	for _, e := range podsOf(s.line.pending().Gated) {
		// Pods that were refused together do not record the state in which they were tried, but the number of
		// their attempt tells it.
		tried := s.lives.pods[e.Pod.Key()].tried == s.tries.state || s.sharing.on && e.Cycle > s.tries.since
		untried += one(!tried)
	}
	return untried
}

// advanceTo moves the clock to the time of a cycle. If cycles take no time, pods can forever take nominations
// from each other while a victim terminates. That becomes an error after many more attempts than it takes to
// retry every pod after each success of another.
func (s *scheduling) advanceTo(cycle time.Duration) error {
	if cycle > s.clock.at {
		s.atOnce = 0
	}
	s.clock.at = cycle

	s.atOnce++
	if n := float64(s.line.inQueue); float64(s.atOnce) > 100_000+10*n*n {
		return fmt.Errorf("%d attempts in which no time passes: a cycle has to take some", s.atOnce)
	}
	return nil
}
