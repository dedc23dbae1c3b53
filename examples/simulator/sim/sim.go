package sim

import "time"

// Simulation is a run under way. It is for one goroutine at a time.
type Simulation struct {
	config  Config
	clock   *clock
	agenda  *agenda
	teller  *teller
	meter   *meter
	tally   *tally
	lives   *lives
	cluster *cluster
	line    *line
	gangs   *gangs // nil where groups are not queued as one

	schedulers  *schedulers
	sharing     *sharing
	controllers *controllers
	table       *kubeletTable // nil for no kubelets
	stays       *stays
	fleet       *fleet
	kubelets    *kubeletWork // nil for none
	life        *life
	actions     *actions
	scheduling  *scheduling
}

// Now is the time since the beginning, Time the time itself.
func (s *Simulation) Now() time.Duration { return s.clock.at }

// Time is the virtual time.
func (s *Simulation) Time() time.Time { return s.clock.time() }
