package sim

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
)

// Process yields changes from outside one after another: the next change with its time, or false when there
// are no more. [Simulation.AddProcess] asks for the first change, and the run asks for the next one once a
// change has been made. So a process can draw lazily and look at the run, which it must not change. A time in
// the past ends the run with an error. What a process yields must depend only on what it is given and on
// state of its own, such as a seeded random generator. A process with such state belongs to one run.
//
// A process that never ends needs [Config.End].
type Process func(s *Simulation) (t time.Duration, c Change, ok bool)

// mostAtOnce is the most changes that one process may make at one time.
const mostAtOnce = 1 << 20

// AddProcess lets a process make its changes from now on. There may be several; at equal times the one that
// was added first goes first. Errors wrap [outrank.ErrInvalid] and are those of [Simulation.At] for the first
// change.
func (s *Simulation) AddProcess(p Process) error {
	if p == nil {
		return fmt.Errorf("%w: no process", outrank.ErrInvalid)
	}
	return s.draw(&drawn{process: p})
}

// drawn is a process of which one change is on the agenda.
type drawn struct {
	process Process
	// last is the time of the last change, and atOnce the number of further changes at that time.
	last   time.Duration
	atOnce int
}

// draw puts the next change of a process on the agenda. Making that change draws the one after it.
func (s *Simulation) draw(d *drawn) error {
	t, c, ok := d.process(s)
	if !ok {
		return nil
	}

	// A process that never moves on in time would keep the run from ending.
	d.atOnce++
	if t != d.last {
		d.last, d.atOnce = t, 0
	}
	if d.atOnce > mostAtOnce {
		return fmt.Errorf("%w: %s at %v: %d changes of one process in which no time passes", outrank.ErrInvalid, c.what, t, d.atOnce)
	}

	// The next change is drawn after this one has been made, so that the process can see its effect.
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

// Arrivals returns a process in which pods arrive, each at the Arrival of its work. They are drawn one at a
// time. The run is like one whose work was given to [New], as long as nothing else happens at the times of
// arrival.
func Arrivals(next func() (Work, bool)) Process {
	return func(*Simulation) (time.Duration, Change, bool) {
		w, ok := next()
		return w.Arrival, AddPod(w), ok
	}
}

// Failure is one failure of a node.
type Failure struct {
	At   time.Duration
	Node string
	// Repair is the time after which the node is back, empty; zero means never.
	Repair time.Duration
}

// Failures returns a process in which nodes fail, drawn one at a time; see [FailNode].
func Failures(next func() (Failure, bool)) Process {
	return func(*Simulation) (time.Duration, Change, bool) {
		f, ok := next()
		return f.At, FailNode(f.Node, f.Repair), ok
	}
}

// Autoscaler is a policy that adds and removes nodes.
type Autoscaler struct {
	// Every is the time between two looks, and before the first one. It must be above 0.
	Every time.Duration
	// Decide looks at the run: Simulation.Pending has the waiting pods, Simulation.Snapshot the nodes with
	// their pods. It must not change anything. Its result must depend only on the run and on state of its
	// own, which includes the nodes that it has asked for and that have not come yet.
	Decide func(s *Simulation) Scaling
	// Patience is how long the policy is still asked while pods wait but nothing is to come and nothing
	// changes. It makes a run end even if nothing helps its pods. Zero means DefaultPatience.
	Patience time.Duration
}

// Scaling is a decision of an autoscaler.
type Scaling struct {
	// Add lists new nodes. They come after Delay, the time that a machine takes to start. It is an error if a
	// node with the same name exists by then.
	Add   []*outrank.Node
	Delay time.Duration
	// Remove names the nodes to retire, as by Retire. Names of nodes that do not exist are ignored.
	Remove []string
}

// Process returns the process of the autoscaler. It ends when nothing else is to come, and either no pod
// waits or its patience is over. Errors wrap [outrank.ErrInvalid].
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
		// At the beginning the agenda may be empty.
		if s.clock.at > 0 && waiting.over(s) {
			return 0, Change{}, false
		}
		return later(s.clock.at, a.Every), Change{what: "autoscale", do: a.look, idle: true}, true
	}, nil
}

// look asks the policy, and adds and retires nodes as it decides.
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
			continue // it has been removed already
		}
		if err := Retire(name).do(s); err != nil {
			return err
		}
	}
	return nil
}
