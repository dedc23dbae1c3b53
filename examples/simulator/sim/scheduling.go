package sim

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// scheduling is the work of the schedulers on the pods in the queue.
type scheduling struct {
	config *Config
	// gates is set where the configuration has gates, which may hold pods back.
	gates bool
	dice  *rand.Rand // nil where ties go to the first
	// busy is the time until which the scheduler works on the last pod.
	busy time.Duration
	// atOnce counts the attempts since time passed or another thing happened.
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

// nextCycle returns the time at which the scheduler looks at the next pod if nothing else
// happens. It is not ok where no pod could have another result than before.
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

// allTried reports whether every pod that waits was tried since anything changed.
// Those that are gated cannot be tried.
func (s *scheduling) allTried() bool {
	return s.tries.tried+s.untriedGated() == s.line.inQueue
}

// untriedGated counts the gated pods that were not tried in this state.
func (s *scheduling) untriedGated() int {
	// Without gates of the configuration a pod is gated only by its own field. That changes only from
	// outside, which makes a new state, so none of these pods was tried in this one.
	gated := s.line.gated()
	if gated == 0 || !s.gates {
		return gated
	}

	untried := 0
	for _, e := range podsOf(s.line.pending().Gated) {
		// Pods that were refused together do not know the state in which they were tried. The number of
		// their attempt tells it.
		tried := s.lives.pods[e.Pod.Key()].tried == s.tries.state || s.sharing.on && e.Cycle > s.tries.since
		untried += one(!tried)
	}
	return untried
}

// advanceTo moves the clock to the time of a cycle. Where cycles take no time, pods
// can take nominations from one another without end while a victim is on the way
// out: that is an error, once there were more attempts than it takes for each pod
// to be tried after each success of another, many times over.
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
