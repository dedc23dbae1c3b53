package sim

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
)

// Process yields changes from outside one after another: the next one and its time, or false where
// there is none any more. [Simulation.AddProcess] asks for the first change, and the run for each
// next one when the one before has been made. So a process draws lazily and may look at the run,
// which it must not change. A time before the present is an error of the run. What it yields must
// depend on what it is given and on its own state alone, such as a random generator with a seed; so
// a process with a state belongs to one run.
//
// A process that never ends needs [Config.End].
type Process func(s *Simulation) (t time.Duration, c Change, ok bool)

// mostAtOnce is the most changes of one process in which no time passes.
const mostAtOnce = 1 << 20

// AddProcess lets a process make its changes from now on. Several processes go together; at one
// time the one that was added first goes first. Errors wrap [outrank.ErrInvalid]: those of
// [Simulation.At] about the first change.
func (s *Simulation) AddProcess(p Process) error {
	if p == nil {
		return fmt.Errorf("%w: no process", outrank.ErrInvalid)
	}
	return s.draw(&drawn{process: p})
}

// drawn is a process from which changes are drawn.
type drawn struct {
	process Process
	// last is the time of the last change, atOnce the number of changes at that time.
	last   time.Duration
	atOnce int
}

// draw puts the next change of a process on the agenda. The one after it is drawn when that has been made.
func (s *Simulation) draw(d *drawn) error {
	t, c, ok := d.process(s)
	if !ok {
		return nil
	}

	// A process whose time stands still would keep the run from ending.
	d.atOnce++
	if t != d.last {
		d.last, d.atOnce = t, 0
	}
	if d.atOnce > mostAtOnce {
		return fmt.Errorf("%w: %s at %v: %d changes of one process in which no time passes", outrank.ErrInvalid, c.what, t, d.atOnce)
	}

	// The next change is drawn only after this one, so that the process may look at what has become of it.
	then := c.then
	c.then = func(s *Simulation) error {
		if then != nil {
			if err := then(s); err != nil {
				return err
			}
		}
		return s.draw(d)
	}
	return s.At(t, c)
}

// Arrivals is the process in which pods come, each at the Arrival of its work. They are drawn one at a
// time. Such a run is like one whose work was given to [New], as long as nothing else happens at the
// times of the arrivals.
func Arrivals(next func() (Work, bool)) Process {
	return func(*Simulation) (time.Duration, Change, bool) {
		w, ok := next()
		return w.Arrival, AddPod(w), ok
	}
}

// Failure is the failure of a node.
type Failure struct {
	At   time.Duration
	Node string
	// Repair is the time until the node is back, empty; zero means never.
	Repair time.Duration
}

// Failures is the process in which nodes fail, drawn one at a time; see [FailNode].
func Failures(next func() (Failure, bool)) Process {
	return func(*Simulation) (time.Duration, Change, bool) {
		f, ok := next()
		return f.At, FailNode(f.Node, f.Repair), ok
	}
}

// Autoscaler is a policy about which nodes there are.
type Autoscaler struct {
	// Every is the time between two looks, and before the first one. It is above 0.
	Every time.Duration
	// Decide looks at the run: Simulation.Pending has who waits, Simulation.Snapshot the nodes
	// with their pods. It must not change anything, and what it returns must depend on that, on
	// the time and on its own state alone. Nodes that it has asked for before and that are not
	// there yet are its own to remember.
	Decide func(s *Simulation) Scaling
	// Patience is how long it is still asked while pods wait, nothing is to come and nothing changes. So a
	// run ends even if nothing helps its pods. Zero means DefaultPatience.
	Patience time.Duration
}

// Scaling is what an autoscaler wants.
type Scaling struct {
	// Add lists new nodes. They are there after Delay, the time that a machine takes to start. It is an
	// error if a node of that name is there then.
	Add   []*outrank.Node
	Delay time.Duration
	// Remove names the nodes that are to leave, as Retire lets them. Nodes that are away are left alone.
	Remove []string
}

// Process returns the process of the autoscaler. It ends with the run's other happenings: when
// nothing else is on the way, and nobody waits or its patience is over. Errors wrap
// [outrank.ErrInvalid].
func (a Autoscaler) Process() (Process, error) {
	switch {
	case a.Every <= 0:
		return nil, fmt.Errorf("%w: autoscaler: Every: %v is not above 0", outrank.ErrInvalid, a.Every)
	case a.Patience < 0:
		return nil, fmt.Errorf("%w: autoscaler: Patience: %v is negative", outrank.ErrInvalid, a.Patience)
	case a.Decide == nil:
		return nil, fmt.Errorf("%w: autoscaler: Decide: missing", outrank.ErrInvalid)
	case a.Patience == 0:
		a.Patience = DefaultPatience
	}

	waiting := patience{most: a.Patience}
	return func(s *Simulation) (time.Duration, Change, bool) {
		// At the beginning the run may have nothing on its agenda yet.
		if s.clock.at > 0 && waiting.over(s) {
			return 0, Change{}, false
		}
		return later(s.clock.at, a.Every), Change{what: "autoscale", do: a.look, idle: true}, true
	}, nil
}

// look asks the policy which nodes are to come and to go, and lets that happen.
func (a Autoscaler) look(s *Simulation) error {
	scaling := a.Decide(s)
	if scaling.Delay < 0 {
		return fmt.Errorf("%w: Delay: %v is negative", outrank.ErrInvalid, scaling.Delay)
	}

	for _, n := range scaling.Add {
		if err := s.At(later(s.clock.at, scaling.Delay), AddNode(n)); err != nil {
			return err
		}
	}

	for _, name := range scaling.Remove {
		if s.cluster.hosts[name] == nil {
			continue // it is away already
		}
		if err := Retire(name).do(s); err != nil {
			return err
		}
	}
	return nil
}
