package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/priority/queue"
)

// Change is something done to the cluster from outside; see [Simulation.At].
type Change struct {
	what string
	do   func(*Simulation) error
}

// At has something done at a time, which must not be over. Several changes at
// one time are made in the order in which they were asked for. An error of the
// change itself is one of the step at which it is made.
func (s *Simulation) At(t time.Duration, c Change) error {
	if t < s.at || t > horizon {
		return fmt.Errorf("%w: %s at %v: not between now, %v, and %v", outrank.ErrInvalid, c.what, t, s.at, horizon)
	}
	if c.do == nil {
		return fmt.Errorf("%w: a change without effect", outrank.ErrInvalid)
	}
	s.agenda.add(moment{at: t, kind: changeMoment, change: c})
	return nil
}

// AddPod has a pod arrive at the time of the change; the work's own Arrival does
// not count.
func AddPod(w Work) Change {
	return Change{"add a pod", func(s *Simulation) error {
		w.Arrival = s.at
		var ps problems
		w.check(&ps, s.config.Kubelets != nil)
		if len(ps) > 0 {
			return ps.err()
		}
		p := s.admit(&w, &ps)
		if p == nil {
			return ps.err()
		}
		return s.arrive(p)
	}}
}

// DeletePod deletes the pod with this key: one that waits is gone at once, one
// on a node has its grace period. Nobody makes it anew. One that is over, or
// being deleted, is left alone; a pod that never was is an error.
func DeletePod(key outrank.Key) Change {
	return Change{"delete pod " + string(key), func(s *Simulation) error {
		p := s.pods[key]
		if p == nil {
			return fmt.Errorf("pod %s: %w", key, preemption.ErrNotFound)
		}
		switch p.phase {
		case Coming:
			p.phase = Gone
			s.retire(p)
		case Queued:
			s.tell(Event{Kind: Deleted, Pod: p.obj}, "")
			s.queue.Remove(p.obj)
			s.count(p, -1)
			s.nominator.Remove(p.obj)
			p.phase = Gone
			s.show(p)
			s.budgets.leave(p)
			s.retire(p)
			s.changed(nil)
			if p.obj.NominatedNodeName != "" {
				s.queue.RoomGivenUp(p.obj, s.Time())
			}
		case Admitting, Running:
			s.tellToGo(p, nil, "")
			s.tell(Event{Kind: Deleted, Pod: p.obj, Node: p.obj.NodeName}, "gone by %.3f", p.until.Seconds())
		}
		return nil
	}}
}

// AddNode adds a node behind all others.
func AddNode(n *outrank.Node) Change {
	return Change{"add a node", func(s *Simulation) error {
		if err := s.snap.AddNode(n); err != nil {
			return err
		}
		s.addHost(n)
		s.nodeChanged(n, queue.EventNodeAdded, "added")
		return nil
	}}
}

// RemoveNode takes a node away, and the pods on it are gone at once; controllers
// make them anew.
func RemoveNode(name string) Change {
	return Change{"remove node " + name, func(s *Simulation) error {
		h := s.hosts[name]
		if h == nil {
			return fmt.Errorf("node %s: %w", name, preemption.ErrNotFound)
		}
		h.removed = true // its kubelet does nothing any more
		for _, obj := range s.snap.PodsOn(name) {
			p := s.pods[obj.Key()]
			p.lost = p.phase == Running || p.phase == Admitting || p.evicted
			if err := s.leave(p); err != nil {
				return err
			}
		}
		must(s.snap.RemoveNode(name))
		s.removeHost(h)
		s.nodeChanged(h.node, queue.EventNodeDeleted, "removed")
		return nil
	}}
}

// Cordon keeps new pods away from a node, Uncordon lets them in again.
func Cordon(name string) Change { return setUnschedulable("cordon", name, true) }

// Uncordon takes back what [Cordon] did.
func Uncordon(name string) Change { return setUnschedulable("uncordon", name, false) }

func setUnschedulable(what, name string, value bool) Change {
	return Change{what + " node " + name, func(s *Simulation) error {
		h := s.hosts[name]
		if h == nil {
			return fmt.Errorf("node %s: %w", name, preemption.ErrNotFound)
		}
		n := *h.node
		n.Unschedulable = value
		s.addHost(&n)
		must(s.snap.UpdateNode(&n))
		s.nodeChanged(&n, queue.EventNodeUpdated, what)
		return nil
	}}
}

func (s *Simulation) nodeChanged(n *outrank.Node, kind queue.ClusterEventKind, text string) {
	s.unsampled = true
	s.changed(nil)
	s.tell(Event{Kind: Changed, Node: n.Name}, "%s", text)
	s.queue.MoveAll(queue.ClusterEvent{Kind: kind, Node: n}, s.Time())
}

// SetBudgets replaces all budgets. What they allow follows from the pods from
// then on; see [Config.Scale].
func SetBudgets(list []*outrank.PodDisruptionBudget) Change {
	return Change{"set budgets", func(s *Simulation) error {
		c := outrank.Cluster{Budgets: list}
		if err := c.Validate(); err != nil {
			return err
		}
		b, err := newBudgets(list, s.config.Scale)
		if err != nil {
			return err
		}
		s.budgets = b
		for _, l := range s.lineages {
			for _, p := range l.lives {
				if p.phase == Queued || p.onNode() {
					b.join(p)
				}
			}
		}
		b.renew(s)
		s.changed(nil)
		s.tell(Event{Kind: Changed}, "%d budgets", len(list))
		return s.snap.SetBudgets(b.list)
	}}
}

// SetLabels replaces the labels of a pod that waits or is on a node. One that is
// over is left alone; any other is an error.
func SetLabels(key outrank.Key, labels map[string]string) Change {
	return Change{"set labels of pod " + string(key), func(s *Simulation) error {
		p := s.pods[key]
		switch {
		case p == nil || p.phase == Coming:
			return fmt.Errorf("pod %s: %w", key, preemption.ErrNotFound)
		case p.phase == Queued || p.onNode():
			s.budgets.leave(p)
			p.revise(func(o *outrank.Pod) { o.Labels = maps.Clone(labels) })
			s.budgets.join(p)
			s.show(p)
			s.changed(nil)
			s.tell(Event{Kind: Changed, Pod: p.obj}, "labels %v", labels)
			return s.relabelled(p)
		}
		return nil
	}}
}

// SetGates replaces the scheduling gates of a pod that waits; none lets it be
// tried. One that is over or has a node is left alone; any other is an error.
func SetGates(key outrank.Key, gates ...string) Change {
	return Change{"set gates of pod " + string(key), func(s *Simulation) error {
		p := s.pods[key]
		if p == nil || p.phase == Coming {
			return fmt.Errorf("pod %s: %w", key, preemption.ErrNotFound)
		}
		if p.phase != Queued {
			return nil
		}
		before := p.obj
		p.revise(func(o *outrank.Pod) { o.SchedulingGates = slices.Clone(gates) })
		s.nominator.Update(before, p.obj)
		s.show(p)
		s.changed(nil)
		s.tell(Event{Kind: Changed, Pod: p.obj}, "gates %v", gates)
		return s.queue.Update(p.obj, s.Time())
	}}
}

// relabelled tells the queue.
func (s *Simulation) relabelled(p *pod) error {
	if p.phase == Queued {
		return s.queue.Update(p.obj, s.Time())
	}
	s.queue.AssignedPodUpdated(p.obj, s.Time())
	s.queue.MoveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodUpdated, Node: p.host.node, Pod: p.obj}, s.Time())
	return nil
}

// Call has a function of the caller's called at that time. It may look at
// everything, and ask for further changes.
func Call(f func(*Simulation) error) Change {
	if f == nil {
		return Change{what: "call"}
	}
	return Change{"call", f}
}
