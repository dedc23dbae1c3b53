package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"

	"github.com/outrank-go/outrank/resource"
)

// Change is a change of the cluster from outside; see [Simulation.At].
type Change struct {
	what string
	do   func(*Simulation) error
	// idle is set if the change is no reason to continue the run by itself.
	idle bool
	// then, if set, runs after the change.
	then func(*Simulation) error
}

// At schedules a change for a time, which must not be in the past. Changes at one time are made in the order
// of the calls. If a change fails, the step that makes it returns the error.
func (s *Simulation) At(t time.Duration, c Change) error {
	if t < s.clock.at || t > horizon {
		return fmt.Errorf("%w: %s at %v: not between now, %v, and %v", outrank.ErrInvalid, c.what, t, s.clock.at, horizon)
	}
	if c.do == nil {
		return fmt.Errorf("%w: a change without effect", outrank.ErrInvalid)
	}

	s.agenda.add(moment{at: t, kind: changeMoment, idle: c.idle, change: func() error {
		if err := c.do(s); err != nil {
			return fmt.Errorf("%s: %w", c.what, err)
		}
		if c.then != nil {
			return c.then(s)
		}
		return nil
	}})
	return nil
}

// AddPod lets a pod arrive at the time of the change. The Arrival of the work is ignored.
func AddPod(w Work) Change {
	return Change{what: "add a pod", do: func(s *Simulation) error {
		w.Arrival = s.clock.at
		var ps problems
		w.check(&ps, s.config.Kubelets != nil)
		if len(ps) > 0 {
			return ps.err()
		}
		p := s.controllers.admit(&w, &ps)
		if p == nil {
			return ps.err()
		}
		return s.life.arrive(p)
	}}
}

// DeletePod deletes the pod with this key. A waiting pod is gone at once; one on a node has its grace period.
// No controller recreates it. Pods that have left or are already being deleted are not affected; an unknown
// pod is an error.
func DeletePod(key outrank.Key) Change {
	return Change{what: "delete pod " + string(key), do: func(s *Simulation) error {
		p := s.lives.pods[key]
		if p == nil {
			return missingPod(key)
		}

		switch p.phase {
		case Coming:
			p.phase = Gone
			s.gangs.retire(p)
		case Queued:
			s.deleteQueued(p)
		case Admitting, Running:
			p.cause = DeletedFromOutside
			s.stays.tellToGo(p, nil, "")
			s.teller.tell(Event{Kind: Deleted, Pod: p.obj, Node: p.obj.NodeName}, "gone by %.3f", p.until.Seconds())
		}
		return nil
	}}
}

// deleteQueued removes a waiting pod for good. Other pods may use the room that was reserved for it.
func (s *Simulation) deleteQueued(p *pod) {
	// The event reports the cause, so the cause is set first.
	p.cause = DeletedFromOutside
	s.teller.tell(Event{Kind: Deleted, Pod: p.obj}, "")
	s.line.remove(p.obj)
	s.line.count(p, -1)
	s.cluster.withdrawNomination(p.obj)

	p.phase = Gone
	s.cluster.show(p)
	s.cluster.leaveBudgets(p)
	s.gangs.retire(p)

	s.cluster.changed(nil)
	if p.obj.NominatedNodeName != "" {
		s.line.roomGivenUp(p.obj)
	}
}

// AddNode adds a node behind all others.
func AddNode(n *outrank.Node) Change {
	return Change{what: "add a node", do: func(s *Simulation) error {
		return s.fleet.add(n)
	}}
}

// RemoveNode removes a node. Its pods are gone at once; controllers may recreate them.
func RemoveNode(name string) Change {
	return Change{what: "remove node " + name, do: func(s *Simulation) error {
		h := s.cluster.hosts[name]
		if h == nil {
			return missingNode(name)
		}
		if err := s.life.lose(h); err != nil {
			return err
		}
		s.fleet.remove(h)
		return nil
	}}
}

// Cordon keeps new pods off a node, until [Uncordon].
func Cordon(name string) Change { return setUnschedulable("cordon", name, true) }

// Uncordon reverts [Cordon], and ends a [Drain].
func Uncordon(name string) Change { return setUnschedulable("uncordon", name, false) }

// setUnschedulable returns the change that closes a node for new pods, or opens it.
func setUnschedulable(what, name string, value bool) Change {
	return Change{what: what + " node " + name, do: func(s *Simulation) error {
		h := s.cluster.hosts[name]
		if h == nil {
			return missingNode(name)
		}

		n := *h.node
		n.Unschedulable = value
		s.fleet.update(&n, what)
		return nil
	}}
}

// SetBudgets replaces all budgets. From then on their allowed disruptions follow from the pods; see
// [Config.Scale].
func SetBudgets(list []*outrank.PodDisruptionBudget) Change {
	return Change{what: "set budgets", do: func(s *Simulation) error {
		c := outrank.Cluster{Budgets: list}
		if err := c.Validate(); err != nil {
			return err
		}
		b, err := newBudgets(list, s.config.Scale)
		if err != nil {
			return err
		}

		// The new budgets count the pods that exist, and are shown with the numbers that follow from these.
		s.cluster.budgets = b
		for _, l := range s.lives.lineages {
			for _, p := range l.lives {
				if p.present() {
					b.join(p)
				}
			}
		}

		b.renew(s.Time())
		s.cluster.changed(nil)
		s.teller.tell(Event{Kind: Changed}, "%d budgets", len(list))
		s.cluster.replaceBudgets()
		return nil
	}}
}

// SetLabels replaces the labels of a pod that waits or is on a node. A pod that has left is not affected; an
// unknown one is an error.
func SetLabels(key outrank.Key, labels map[string]string) Change {
	return Change{what: "set labels of pod " + string(key), do: func(s *Simulation) error {
		p := s.lives.pods[key]
		switch {
		case p == nil || p.phase == Coming:
			return missingPod(key)
		case p.present():
			// Labels decide which budgets cover the pod.
			s.cluster.leaveBudgets(p)
			p.revise(func(o *outrank.Pod) { o.Labels = maps.Clone(labels) })
			s.cluster.coverByBudgets(p)
			s.cluster.show(p)
			s.cluster.changed(nil)
			s.teller.tell(Event{Kind: Changed, Pod: p.obj}, "labels %v", labels)
			return s.relabelled(p)
		}
		return nil
	}}
}

// SetGates replaces the scheduling gates of a waiting pod; without gates it can be scheduled. A pod that has
// a node or has left is not affected; an unknown one is an error.
func SetGates(key outrank.Key, gates ...string) Change {
	return Change{what: "set gates of pod " + string(key), do: func(s *Simulation) error {
		p := s.lives.pods[key]
		if p == nil || p.phase == Coming {
			return missingPod(key)
		}
		if p.phase != Queued {
			return nil
		}

		before := p.obj
		p.revise(func(o *outrank.Pod) { o.SchedulingGates = slices.Clone(gates) })
		s.cluster.updateNomination(before, p.obj)
		s.cluster.show(p)
		s.cluster.changed(nil)
		s.teller.tell(Event{Kind: Changed, Pod: p.obj}, "gates %v", gates)
		return s.line.update(p.obj)
	}}
}

// relabelled tells the queue that a pod has other labels.
func (s *Simulation) relabelled(p *pod) error {
	if p.phase == Queued {
		return s.line.update(p.obj)
	}
	s.line.relabelled(p.obj, p.host.node)
	return nil
}

// Call calls a function at that time. The function may look at everything, and may schedule further changes.
func Call(f func(*Simulation) error) Change {
	if f == nil {
		return Change{what: "call"}
	}
	return Change{what: "call", do: f}
}

// SetUsage sets the usage of a pod from then on. A pod that has left is not affected; an unknown one is an
// error, and so is a run without kubelets. Pods that replace this one start with the usage of its Work.
func SetUsage(key outrank.Key, u kubeletadmit.Usage) Change {
	return Change{what: "set usage of pod " + string(key), do: func(s *Simulation) error {
		p := s.lives.pods[key]
		var ps problems
		checkUsage(&ps, "pod "+string(key), &u)

		switch {
		case len(ps) > 0:
			return ps.err()
		case s.config.Kubelets == nil:
			ps.add("simulation config", "Kubelets", "none, so that nobody looks at what pods use")
			return ps.err()
		case p == nil || p.phase == Coming:
			return missingPod(key)
		case p.phase == Finished || p.phase == Gone:
			return nil
		}

		s.teller.tell(Event{Kind: Changed, Pod: p.obj, Node: p.obj.NodeName}, "uses %s of memory and %s of disk",
			resource.NewBinary(u.Memory), resource.NewBinary(u.Disk))

		// The sum of the node changes only if the pod has started. Otherwise the pod will start with this
		// usage.
		if p.started {
			s.table.use(p, -1)
		}
		p.uses = u
		if p.started {
			s.table.use(p, 1)
			s.kubelets.watchUse(s.table.of(p.host))
		}
		return nil
	}}
}
