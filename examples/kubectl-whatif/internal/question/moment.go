package question

import (
	"errors"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Moment is a cluster at the moment when a waiting pod, or its group, has its turn. It is a copy of the cluster
// and stays the same, because each question undoes its changes. A Moment must not be used by two goroutines at
// once.
type Moment struct {
	scenario *Scenario
	// key is the pod whose turn it is.
	key outrank.Key
	// Before counts the turns that were played before this one.
	Before int
}

// MomentOf returns the cluster as it stands, as if the pod had its turn now. An error wraps
// [preemption.ErrNotFound] if the pod does not wait.
func (s *Scenario) MomentOf(pod outrank.Key) (*Moment, error) {
	return (&Moment{scenario: s.Fork()}).Of(pod)
}

// Of returns the same moment, as if another pod had its turn. Errors are those of [Scenario.MomentOf].
func (m *Moment) Of(pod outrank.Key) (*Moment, error) {
	_, err := m.scenario.entryOf(pod)
	return &Moment{scenario: m.scenario, key: pod}, err
}

// TurnOf plays the turns of all pods that a scheduler takes before the given one, to their end, and returns the
// moment of the pod's own turn. Pods that were being deleted are gone by then. Errors are those of
// [Scenario.MomentOf] and of the turns. It takes the time of these turns.
func (s *Scenario) TurnOf(pod outrank.Key) (*Moment, error) {
	return s.playedTo(func(_ int, e *queue.Entry) bool { return holds(e, pod) }, pod)
}

// PushedOut plays the turns of all waiting pods, in the scheduler's order and to their end, and returns the
// moment of the first turn that pushes the pod out. It is nil if no turn does. It takes twice the time of these
// turns.
func (s *Scenario) PushedOut(pod outrank.Key) (*Moment, error) {
	f := s.Fork()
	l, err := f.lineUp()
	if err != nil {
		return nil, err
	}

	// The first pass finds the pod whose turn it is, and the number of turns before that.
	var preemptor outrank.Key
	turns, found := 0, false
	comes := func(e *queue.Entry) bool {
		if !found {
			preemptor = firstOf(e)
		}
		return !found
	}
	tell := func(t Turn, _ motion) {
		if found = found || slices.ContainsFunc(t.Victims, func(v Victim) bool { return v.Key == pod }); !found {
			turns++
		}
	}
	if err := l.play(comes, tell); err != nil || !found {
		return nil, err
	}

	// The first pass has also carried out that turn. The same input gives the same turns, so that a second pass
	// can stop just before it.
	return s.playedTo(func(done int, _ *queue.Entry) bool { return done == turns }, preemptor)
}

// playedTo plays turns until stop returns true for the next entry. It returns that moment as the turn of the
// pod.
func (s *Scenario) playedTo(stop func(done int, e *queue.Entry) bool, pod outrank.Key) (*Moment, error) {
	f := s.Fork()
	l, err := f.lineUp()
	if err != nil {
		return nil, err
	}

	m := &Moment{scenario: f, key: pod}
	comes := func(e *queue.Entry) bool { return !stop(l.done, e) }
	if err := l.play(comes, func(Turn, motion) { m.Before++ }); err != nil {
		return nil, err
	}
	_, err = f.entryOf(pod)
	return m, err
}

// entryOf finds the entry with which a waiting pod takes its turn: its own, or the entry of its group.
func (s *Scenario) entryOf(pod outrank.Key) (*queue.Entry, error) {
	// A pod without a group needs no line, and building one looks at every pod.
	if p, ok := s.snap.Pod(pod); ok && !s.grouped(p) && s.waits()(p) {
		return &queue.Entry{Pod: p}, nil
	}

	line := s.line(s.waiting())
	for i := range line {
		if holds(&line[i], pod) {
			return &line[i], nil
		}
	}
	return nil, fmt.Errorf("pod %s waits for no node: %w", pod, preemption.ErrNotFound)
}

// Snapshot returns the cluster at that moment. The caller must not change it.
func (m *Moment) Snapshot() *engine.Snapshot { return m.scenario.snap }

// Pods returns the pod whose turn it is, and the other waiting pods of its group if it has one.
func (m *Moment) Pods() ([]*outrank.Pod, error) {
	e, err := m.scenario.entryOf(m.key)
	if err != nil {
		return nil, err
	}
	if e.Group == nil {
		return []*outrank.Pod{e.Pod}, nil
	}

	var out []*outrank.Pod
	for i := range e.Group.Members {
		out = append(out, e.Group.Members[i].Pod)
	}
	return out, nil
}

// With plays the turn after a change of the cluster, and undoes both. A nil change changes nothing. Errors are
// those of the change and of the decision.
func (m *Moment) With(change func(*engine.Snapshot) error) (t Turn, err error) {
	snap := m.Snapshot()
	mark := snap.Mark()
	if change != nil {
		err = change(snap)
	}
	if err == nil {
		t, err = m.decide()
	}
	return t, errors.Join(err, snap.Undo(mark))
}

// decide finds the outcome of the turn. It changes nothing.
func (m *Moment) decide() (Turn, error) {
	s := m.scenario
	e, err := s.entryOf(m.key)
	if err != nil {
		return Turn{}, err
	}
	if e.Group == nil {
		t, _, err := s.decide(s.set.EvaluatorFor(e.Pod), e.Pod)
		return t, err
	}

	// A group that cannot be decided about waits, and its turn says why.
	t, plan, err := s.planGroup(e.Group)
	switch {
	case errors.Is(err, outrank.ErrInvalid):
		t.Outcome, t.Trouble = Waits, oneLine(err)
		return t, nil
	case err == nil:
		t.tellGroup(s.scene, plan)
	}
	return t, err
}

// NodeLike returns a new node that is like another one and has a free name.
func (m *Moment) NodeLike(node string) (*outrank.Node, error) {
	n, ok := m.Snapshot().Node(node)
	if !ok {
		return nil, fmt.Errorf("node %s: %w", node, preemption.ErrNotFound)
	}
	return m.scenario.NodesLike(n, 1)[0], nil
}

// Covering returns the budgets that cover a pod.
func (m *Moment) Covering(pod *outrank.Pod) (out []*outrank.PodDisruptionBudget) {
	s := m.scenario
	for _, i := range s.budgets.Covering(pod) {
		out = append(out, s.allowed[i])
	}
	return out
}

// Others returns the waiting pods except the given one and its group, in the scheduler's order. It lists only
// the first pod of a group.
func (s *Scenario) Others(but outrank.Key) (out []outrank.Key) {
	line := s.line(s.waiting())
	for i := range line {
		if !holds(&line[i], but) {
			out = append(out, firstOf(&line[i]))
		}
	}
	return out
}
