package question

import (
	"errors"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// queuing is the pods that wait, in the order of their turns, while each takes its turn to the
// end: a victim is gone, and where it is recreated it waits in its turn, before the pod behind
// it is tried. It ends, because a victim has a lower priority than the pod it leaves for, and
// comes after it.
type queuing struct {
	*Scenario
	rest []queue.Entry
	// done counts turns.
	done int
	// left is told of every pod that leaves for another; nil for nobody.
	onEvict func(p *outrank.Pod)
}

// queued puts everything that waits in line. Pods that are being deleted are gone by then.
func (s *Scenario) lineUp() (*queuing, error) {
	if err := s.finishDeletions(); err != nil {
		return nil, err
	}
	return &queuing{Scenario: s, rest: s.line(s.waiting())}, nil
}

// bury takes the pods away that are being deleted.
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

// play lets pods take their turns until the line is empty, or the next is not to come any
// more. Each turn is told.
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
		key := turn.Pod.Key
		if next.Group != nil {
			key = next.Group.Members[0].Pod.Key()
		}
		m, moved := l.moved[key]
		if !moved {
			m = motion{origin: Waiting, aside: true}
		}
		turn.Pod.Node = m.from
		tell(turn, m)
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

// departed is a pod that has left its node.
type departed struct {
	pod  *outrank.Pod
	node string
}

// takeToEnd lets a pod or a group take its turn, with those gone that it pushes out.
func (s *Scenario) takeToEnd(e *queue.Entry) (Turn, []departed, error) {
	if e.Group != nil {
		return s.groupToEnd(e.Group)
	}
	turn, plan, err := s.decide(s.set.evaluatorFor(e.Pod), e.Pod)
	switch {
	case err != nil:
	case plan != nil:
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

func (s *Scenario) groupToEnd(g *queue.Group) (Turn, []departed, error) {
	t, plan, err := s.planGroup(g)
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
	if plan.Outcome == preemption.Preempts || plan.Outcome == preemption.Fits {
		for _, a := range plan.Placement {
			if err := s.bind(a.Pod, a.Node); err != nil {
				return t, nil, err
			}
		}
	}
	return t, out, nil
}

// evict puts the pod that is recreated for a victim in line.
func (l *queuing) evict(v departed, m motion) error {
	if l.onEvict != nil {
		l.onEvict(v.pod)
	}
	switch {
	case replaced(v.pod):
		l.leaving = append(l.leaving, podOf(v.pod, v.node))
		return nil
	case tied(v.pod) && v.pod.Owner.Kind != "DaemonSet":
		l.tied = append(l.tied, podOf(v.pod, v.node))
		return nil
	case v.pod.Owner == (outrank.Owner{}):
		l.lost = append(l.lost, podOf(v.pod, v.node))
		return nil
	}
	if err := l.recreate(v.pod, m); err != nil {
		return err
	}
	next, created := l.snap.Pod(v.pod.Key())
	if !created {
		return nil
	}
	for _, e := range l.line([]*outrank.Pod{next}) {
		l.enter(e)
	}
	return nil
}

// enter puts a pod in its place in the line: beside the others of its group, where these are
// still to come.
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

// Before lets everything take its turn that a scheduler takes before a pod, to the end, and
// returns what came of it: a pod that is not in the cluster comes behind those of its
// priority. Pods that come behind it wait. Pods that were being deleted are gone.
func (s *Scenario) Before(pod *outrank.Pod) (*Aftermath, error) {
	a := s.newAftermath()
	l, err := s.lineUp()
	if err != nil {
		return nil, err
	}
	asked, waits := queue.Entry{Pod: pod}, false
	for _, e := range l.rest {
		has := func(m queue.Entry) bool { return m.Pod.Key() == pod.Key() }
		if e.Group == nil && has(e) || e.Group != nil && slices.ContainsFunc(e.Group.Members, has) {
			asked, waits = e, true
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

func priorityOf(e *queue.Entry) int32 {
	if e.Group != nil {
		return e.Group.Priority()
	}
	return e.Pod.PriorityValue()
}
