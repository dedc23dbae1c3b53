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

// Moment is a cluster when it is the turn of a pod that waits, or of its group. It is a copy, and
// stays as it is: what an answer changes is taken back. One goroutine uses it at a time.
type Moment struct {
	scenario  *Scenario
	key outrank.Key
	// Before counts the turns that were played before this one.
	Before int
}

// MomentOf is the cluster as it stands, as if it were a pod's turn at once. An error wraps
// [preemption.ErrNotFound] where the pod does not wait.
func (s *Scenario) MomentOf(pod outrank.Key) (*Moment, error) {
	return (&Moment{scenario: s.Fork()}).Of(pod)
}

// Of is the same moment as if it were another pod's turn. Errors are those of
// [Scenario.MomentOf].
func (m *Moment) Of(pod outrank.Key) (*Moment, error) {
	_, err := m.scenario.entryOf(pod)
	return &Moment{scenario: m.scenario, key: pod}, err
}

// TurnOf plays the turns of everything that a scheduler takes before a pod, each to the end, up
// to its own. Pods that were being deleted are gone. Errors are those of [Scenario.MomentOf]
// and of the turns. Time is that of these turns.
func (s *Scenario) TurnOf(pod outrank.Key) (*Moment, error) {
	return s.playedTo(func(_ int, e *queue.Entry) bool { return holds(e, pod) }, pod)
}

// PushedOut plays the turns of everything that waits, in the scheduler's order and each to the
// end, up to the one that has a pod leave: nil where none does. Time is twice that of these
// turns.
func (s *Scenario) PushedOut(pod outrank.Key) (*Moment, error) {
	f := s.Fork()
	l, err := f.lineUp()
	if err != nil {
		return nil, err
	}
	at, turns, found := outrank.Key(""), 0, false
	comes := func(e *queue.Entry) bool {
		if !found {
			at = firstOf(e)
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
	return s.playedTo(func(done int, _ *queue.Entry) bool { return done == turns }, at)
}

// playedTo plays until an entry is next for which stop returns true.
func (s *Scenario) playedTo(stop func(done int, e *queue.Entry) bool, pod outrank.Key) (*Moment, error) {
	f := s.Fork()
	l, err := f.lineUp()
	if err != nil {
		return nil, err
	}
	m := &Moment{scenario: f, key: pod}
	if err := l.play(func(e *queue.Entry) bool { return !stop(l.done, e) }, func(Turn, motion) { m.Before++ }); err != nil {
		return nil, err
	}
	_, err = f.entryOf(pod)
	return m, err
}

func firstOf(e *queue.Entry) outrank.Key {
	if e.Group != nil {
		return e.Group.Members[0].Pod.Key()
	}
	return e.Pod.Key()
}

// holds reports whether an entry is a pod or a group with it.
func holds(e *queue.Entry, pod outrank.Key) bool {
	if e.Group == nil {
		return e.Pod.Key() == pod
	}
	return slices.ContainsFunc(e.Group.Members, func(m queue.Entry) bool { return m.Pod.Key() == pod })
}

// entryOf finds a pod, or the group that it takes its turn with, among those that wait.
func (s *Scenario) entryOf(pod outrank.Key) (*queue.Entry, error) {
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

// Snapshot is the cluster at that moment, to look at.
func (m *Moment) Snapshot() *engine.Snapshot { return m.scenario.snap }

// Pods are the pod whose turn it is, and the others of its group that wait.
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

// With plays the turn after a change of the cluster, and takes both back; nil changes
// nothing. Errors are those of the change and of the decision.
func (m *Moment) With(change func(*engine.Snapshot) error) (t Turn, err error) {
	mark := m.scenario.snap.Mark()
	if change != nil {
		err = change(m.scenario.snap)
	}
	if err == nil {
		t, err = m.decide()
	}
	return t, errors.Join(err, m.scenario.snap.Undo(mark))
}

func (m *Moment) decide() (Turn, error) {
	e, err := m.scenario.entryOf(m.key)
	if err != nil {
		return Turn{}, err
	}
	if e.Group == nil {
		t, _, err := m.scenario.scene.decide(m.scenario.set.evaluatorFor(e.Pod), e.Pod)
		return t, err
	}
	t, plan, err := m.scenario.planGroup(e.Group)
	switch {
	case errors.Is(err, outrank.ErrInvalid):
		t.Outcome, t.Trouble = Waits, oneLine(err)
		return t, nil
	case err == nil:
		t.tellGroup(m.scenario.scene, plan)
	}
	return t, err
}

// NodeLike is a node like another, with a name that is free.
func (m *Moment) NodeLike(node string) (*outrank.Node, error) {
	n, ok := m.scenario.snap.Node(node)
	if !ok {
		return nil, fmt.Errorf("node %s: %w", node, preemption.ErrNotFound)
	}
	return m.scenario.NodesLike(n, 1)[0], nil
}

// Covering are the budgets that cover a pod.
func (m *Moment) Covering(pod *outrank.Pod) (out []*outrank.PodDisruptionBudget) {
	for _, i := range m.scenario.budgets.Covering(pod) {
		out = append(out, m.scenario.allowed[i])
	}
	return out
}

// Others are the pods, and a pod of each group, that wait beside the one whose turn it is, in
// the scheduler's order.
func (s *Scenario) Others(but outrank.Key) (out []outrank.Key) {
	line := s.line(s.waiting())
	for i := range line {
		if !holds(&line[i], but) {
			out = append(out, firstOf(&line[i]))
		}
	}
	return out
}
