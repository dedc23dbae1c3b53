package question

import (
	"errors"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// queuing is the line of waiting pods, in the order of their turns. Each turn is played to its end before the
// next begins: its victims are gone and, if they are recreated, wait in line. The line becomes empty in the
// end, because a victim has a lower priority than its preemptor and therefore comes behind it.
type queuing struct {
	*Scenario
	// rest holds the entries that have not had their turn, in order.
	rest []queue.Entry
	// done counts the turns that were played.
	done int
	// onEvict, if set, is told of every pod that leaves for another.
	onEvict func(p *outrank.Pod)
}

// lineUp puts all waiting pods in line. Pods that are being deleted are gone by then.
func (s *Scenario) lineUp() (*queuing, error) {
	if err := s.finishDeletions(); err != nil {
		return nil, err
	}
	return &queuing{Scenario: s, rest: s.line(s.waiting())}, nil
}

// finishDeletions removes the pods that are being deleted, and tries resizes in the room that they leave.
func (s *Scenario) finishDeletions() error {
	for p := range s.snap.Pods() {
		node := s.snap.NodeOf(p.Key())
		if node == "" || !p.Terminating() {
			continue
		}
		if err := s.release(p, motion{origin: Ending, from: node, aside: true}); err != nil {
			return err
		}
	}
	return s.retryResizes()
}

// play lets pods take their turns until the line is empty, or until comes returns false for the next entry. It
// calls tell with each turn and the reason why its pod waited.
func (l *queuing) play(comes func(*queue.Entry) bool, tell func(Turn, motion)) error {
	for len(l.rest) > 0 {
		next := l.rest[0]
		if comes != nil && !comes(&next) {
			return nil
		}
		l.rest = l.rest[1:]

		turn, victims, err := l.takeToEnd(&next)
		if err != nil {
			return err
		}

		m := l.motionOf(&next)
		turn.Pod.Node = m.from
		tell(turn, m)

		// Recreated victims enter the line before the next turn, because one of them may come before all pods
		// in the line.
		for _, v := range victims {
			if err := l.evict(v, motion{origin: PushedOut, from: v.node, pushedOutBy: turn.Pod.Key, aside: m.aside}); err != nil {
				return err
			}
		}
		if len(victims) > 0 {
			if err := l.retryResizes(); err != nil {
				return err
			}
		}

		l.done++
		l.set.progress(l.done, l.done+len(l.rest))
	}
	return nil
}

// motionOf says why an entry waits. A group waits for the same reason as its first pod.
func (l *queuing) motionOf(e *queue.Entry) motion {
	if m, moved := l.moved[firstOf(e)]; moved {
		return m
	}
	return motion{origin: Waiting, aside: true}
}

// departed is a pod that has left its node.
type departed struct {
	pod  *outrank.Pod
	node string
}

// takeToEnd lets a pod or a group take its turn. It returns the pods that are pushed out. They are gone, and
// not recreated yet.
func (s *Scenario) takeToEnd(e *queue.Entry) (Turn, []departed, error) {
	if e.Group != nil {
		return s.groupToEnd(e.Group)
	}
	turn, plan, err := s.decide(s.set.EvaluatorFor(e.Pod), e.Pod)
	switch {
	case err != nil:
	case plan != nil:
		// The snapshot knows the victims' nodes only until they are gone.
		var out []departed
		for i := range plan.Victims {
			v := &plan.Victims[i]
			out = append(out, departed{v.Pod, s.snap.NodeOf(v.Pod.Key())})
		}
		return turn, out, s.carryOut(plan, turn.InVain != nil)
	case turn.Outcome == Placed && !turn.Resize:
		err = s.bind(e.Pod, turn.Node)
	}
	return turn, nil, err
}

// groupToEnd lets a group take its turn, as takeToEnd does.
func (s *Scenario) groupToEnd(g *queue.Group) (Turn, []departed, error) {
	t, plan, err := s.planGroup(g)

	// A group that cannot be decided about keeps only its own pods waiting.
	if errors.Is(err, outrank.ErrInvalid) {
		t.Outcome, t.Trouble = Waits, oneLine(err)
		return t, nil, nil
	}
	if err != nil {
		return t, nil, err
	}
	t.tellGroup(s.scene, plan)

	var out []departed
	if plan.Outcome == preemption.Preempts {
		for _, v := range plan.Victims {
			out = append(out, departed{v.Pod, s.snap.NodeOf(v.Pod.Key())})
			if err := s.drop(v.Pod); err != nil {
				return t, nil, err
			}
		}
	}

	// Once the victims are gone the group runs, whether it had to push out pods or not.
	if plan.Outcome == preemption.Preempts || plan.Outcome == preemption.Fits {
		for _, a := range plan.Placement {
			if err := s.bind(a.Pod, a.Node); err != nil {
				return t, nil, err
			}
		}
	}
	return t, out, nil
}

// evict recreates a victim that is gone and puts it in line. It records a victim that no controller recreates.
func (l *queuing) evict(v departed, m motion) error {
	p := v.pod
	if l.onEvict != nil {
		l.onEvict(p)
	}

	switch {
	case replaced(p):
		l.leaving = append(l.leaving, NameOf(p, v.node))
		return nil
	case TiedToItsNode(p) && p.Owner.Kind != "DaemonSet":
		l.tied = append(l.tied, NameOf(p, v.node))
		return nil
	case p.Owner == (outrank.Owner{}):
		l.lost = append(l.lost, NameOf(p, v.node))
		return nil
	}

	// A quota may keep the new pod from being created.
	if err := l.recreate(p, m); err != nil {
		return err
	}
	next, created := l.snap.Pod(p.Key())
	if !created {
		return nil
	}
	for _, e := range l.line([]*outrank.Pod{next}) {
		l.enter(e)
	}
	return nil
}

// enter puts an entry in its place in the line. A pod of a group that waits in the line joins the group's entry.
func (l *queuing) enter(e queue.Entry) {
	if e.Group != nil {
		for i := range l.rest {
			if g := l.rest[i].Group; g != nil && groupKey(g) == groupKey(e.Group) {
				g.Members = append(g.Members, e.Group.Members...)
				return
			}
		}
	}

	at, _ := slices.BinarySearchFunc(l.rest, e, func(a, b queue.Entry) int { return queue.CompareEntries(&a, &b) })
	l.rest = slices.Insert(l.rest, at, e)
}

// Before plays the turns of all pods that a scheduler takes before the given one, to their end, and returns
// what came of them. A pod that is not in the cluster comes after the others of its priority. The pods after it
// keep waiting. Pods that were being deleted are gone.
func (s *Scenario) Before(pod *outrank.Pod) (*Aftermath, error) {
	a := s.newAftermath()
	l, err := s.lineUp()
	if err != nil {
		return nil, err
	}

	asked, waits := queue.Entry{Pod: pod}, false
	for i := range l.rest {
		if e := &l.rest[i]; holds(e, pod.Key()) {
			asked, waits = *e, true
		}
	}

	comes := func(e *queue.Entry) bool {
		return queue.CompareEntries(e, &asked) < 0 || !waits && priorityOf(e) == pod.PriorityValue()
	}
	if err := l.play(comes, a.tell); err != nil {
		return nil, err
	}
	a.finish(s)
	return a, nil
}

// priorityOf returns the priority that determines an entry's place in the line.
func priorityOf(e *queue.Entry) int32 {
	if e.Group != nil {
		return e.Group.Priority()
	}
	return e.Pod.PriorityValue()
}

// firstOf returns the pod of an entry, or the first pod of its group.
func firstOf(e *queue.Entry) outrank.Key {
	if e.Group != nil {
		return e.Group.Members[0].Pod.Key()
	}
	return e.Pod.Key()
}

// holds reports whether an entry is the pod, or a group that contains it.
func holds(e *queue.Entry, pod outrank.Key) bool {
	if e.Group == nil {
		return e.Pod.Key() == pod
	}
	return slices.ContainsFunc(e.Group.Members, func(m queue.Entry) bool { return m.Pod.Key() == pod })
}
