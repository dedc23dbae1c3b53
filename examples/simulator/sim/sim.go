package sim

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// Simulation is a run in progress. Only one goroutine may use it at a time.
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
	gangs   *gangs // nil if groups are not queued as one

	schedulers  *schedulers
	sharing     *sharing
	controllers *controllers
	table       *kubeletTable // nil without kubelets
	stays       *stays
	fleet       *fleet
	kubelets    *kubeletWork // nil without kubelets
	life        *life
	actions     *actions
	scheduling  *scheduling
	auditor     *auditor // nil without an audit
}

// Now returns the virtual time since the beginning.
func (s *Simulation) Now() time.Duration { return s.clock.at }

// Time returns the present virtual time as a date.
func (s *Simulation) Time() time.Time { return s.clock.time() }

// Until continues the run up to a time, including everything that happens then, or to the configured end if
// that is earlier. The clock stands there afterwards. Errors are those of [Simulation.Run].
func (s *Simulation) Until(ctx context.Context, t time.Duration) error {
	t = min(t, s.config.End)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}

		// Without a configured end the clock stays at the last step instead of jumping to the horizon.
		next, ok := s.Next()
		if !ok || next > t {
			if t < horizon {
				s.clock.at = max(s.clock.at, t)
			}
			return nil
		}

		if err := s.Step(); err != nil {
			return err
		}
	}
}

// Step makes the next step, whenever it is: the next moment of the agenda, or a scheduling cycle if one comes
// before. It may make several failing cycles of the same time in one call. Without a next step it does
// nothing. After an error the run cannot continue.
func (s *Simulation) Step() error {
	at, ok := s.agenda.next()
	cycle, may := s.scheduling.nextCycle()
	var err error
	switch {
	// A cycle comes after everything else that is due at its time, so that the queue can choose among all
	// pods that are there by then.
	case may && (!ok || cycle < at):
		if err = s.scheduling.advanceTo(cycle); err == nil {
			err = s.scheduling.cycle(context.Background())
		}
	case ok:
		s.scheduling.atOnce = 0
		s.clock.at = at
		err = s.happen(s.agenda.pop())
	}

	// Listeners also learn about a step that failed.
	err = s.audited(err)
	s.clock.steps++
	s.meter.sample(s.clock.at, s.config.Sample)
	if s.config.Progress != nil {
		s.config.Progress()
	}

	if err != nil {
		return fmt.Errorf("at %v: %w", s.clock.at, err)
	}
	return nil
}

// audited returns the error of a step or, if there is none, what the audit has found.
func (s *Simulation) audited(err error) error {
	if s.auditor == nil {
		return err
	}
	return cmp.Or(err, s.auditor.step())
}

// happen lets a moment of the agenda take effect.
func (s *Simulation) happen(m *moment) error {
	switch m.kind {
	case arriveMoment:
		return s.life.arrive(m.pod)
	case endMoment:
		return s.life.end(m.pod)
	case goneMoment:
		if m.pod.phase == Terminating {
			return s.life.leave(m.pod)
		}
	case lookMoment:
		return s.kubelets.lookAt(m.host, m.at)
	case changeMoment:
		return m.change()
	}
	return nil
}

// Next returns the time of the next step, and false if there is none.
func (s *Simulation) Next() (time.Duration, bool) {
	at, ok := s.agenda.next()
	if cycle, may := s.scheduling.nextCycle(); may && (!ok || cycle < at) {
		return cycle, true
	}
	return at, ok
}
