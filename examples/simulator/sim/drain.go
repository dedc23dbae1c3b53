package sim

import (
	"time"

	"github.com/outrank-go/outrank"
)

// DefaultPatience is how long an [Autoscaler] or a drain waits without any change before it gives up.
// [Autoscaler.Patience] overrides it.
const DefaultPatience = time.Hour

// drainRetry is the time after which a drain tries again to evict pods that a budget protected.
const drainRetry = 5 * time.Second

// Drain empties a node. It cordons the node and evicts its pods, except static ones, in order of importance,
// as far as the budgets that cover them allow. It retries the others every 5 s, until [Uncordon] ends the
// drain. A drain with pods left gives up once nothing else is to come and either no pod waits for a node or
// nothing has changed for [DefaultPatience]. Controllers may recreate the pods.
func Drain(name string) Change {
	return Change{what: "drain node " + name, do: func(s *Simulation) error { return s.beginDrain(name, false) }}
}

// Retire drains a node as [Drain] does, and removes it once only static pods are left on it.
func Retire(name string) Change {
	return Change{what: "retire node " + name, do: func(s *Simulation) error { return s.beginDrain(name, true) }}
}

// FailNode lets a node fail: as by [RemoveNode], it is removed, and its pods are gone at once. After the time
// of repair it comes back as it was, but empty and behind all other nodes; with a repair of zero it does not
// come back. A node that has been removed already is not affected; an unknown one is an error.
func FailNode(name string, repair time.Duration) Change {
	return Change{what: "fail node " + name, do: func(s *Simulation) error {
		h := s.cluster.hosts[name]
		switch {
		case repair < 0:
			var ps problems
			ps.add("node "+name, "Repair", "%v is negative", repair)
			return ps.err()
		case h == nil && s.fleet.known[name]:
			return nil
		case h == nil:
			return missingNode(name)
		}

		// The repaired node comes back with a new kubelet, which has seen no pressure.
		n := s.kubelets.healthy(h)
		if err := RemoveNode(name).do(s); err != nil || repair == 0 {
			return err
		}

		return s.At(later(s.clock.at, repair), Change{what: "repair node " + name, do: func(s *Simulation) error {
			if s.cluster.hosts[name] != nil {
				return nil // another node has taken its name
			}
			return s.fleet.add(n)
		}})
	}}
}

// draining is a drain in progress.
type draining struct {
	host *host
	// remove is set if the node is removed once it is empty.
	remove bool
	// patience says when the drain gives up.
	patience patience
}

// beginDrain cordons a node and starts to empty it.
func (s *Simulation) beginDrain(name string, remove bool) error {
	h := s.cluster.hosts[name]
	if h == nil {
		return missingNode(name)
	}
	if !h.node.Unschedulable {
		if err := Cordon(name).do(s); err != nil {
			return err
		}
	}
	return s.goOnDraining(&draining{host: h, remove: remove, patience: patience{most: DefaultPatience}})
}

// goOnDraining evicts the pods of a node that may be evicted now, and schedules itself again for the others.
func (s *Simulation) goOnDraining(d *draining) error {
	// The drain ends if the node has been removed or uncordoned meanwhile.
	h := d.host
	if h.removed || !h.node.Unschedulable {
		return nil
	}
	left, err := s.evictAll(h)
	if err != nil {
		return err
	}

	// It looks again when the last evicted pod has left or, if a budget protects a pod, after a while. In the
	// second case the look is idle: a drain that only waits for a budget is no reason to continue the run.
	next := left.lastGone
	switch {
	case left.empty && d.remove:
		return RemoveNode(h.name()).do(s)
	case left.empty, left.refused && d.patience.over(s):
		return nil
	case left.refused:
		next = later(s.clock.at, drainRetry)
	}
	goOn := func(s *Simulation) error { return s.goOnDraining(d) }
	return s.At(next, Change{what: "drain node " + h.name(), do: goOn, idle: left.refused})
}

// drainState says what is left on a node, apart from static pods.
type drainState struct {
	// refused is set if a budget protects a pod, and empty if no pod is left.
	refused, empty bool
	// lastGone is the time by which all evicted pods have left.
	lastGone time.Duration
}

// evictAll evicts the pods of a node, except static ones and those that a budget protects.
func (s *Simulation) evictAll(h *host) (drainState, error) {
	left := drainState{empty: true, lastGone: s.clock.at}
	for _, obj := range s.cluster.podsOn(h) {
		p := s.lives.pods[obj.Key()]
		if p.obj.Static {
			continue
		}

		if p.phase != Terminating {
			told, err := s.evictDrained(p)
			if err != nil {
				return left, err
			}
			left.refused = left.refused || !told
		}
		left.empty = left.empty && !p.onNode()
		left.lastGone = max(left.lastGone, p.until)
	}
	return left, nil
}

// evictDrained evicts a pod if the budgets that cover it allow a disruption, and reports whether they do.
func (s *Simulation) evictDrained(p *pod) (told bool, err error) {
	// Each eviction before may have used up a budget.
	s.cluster.syncBudgets(s.Time())
	budgets := s.cluster.allowances()
	for _, i := range p.covering {
		if budgets[i].DisruptionsAllowed <= 0 {
			return false, nil
		}
	}

	p.cause = Drained
	s.stays.countEviction(p)
	s.stays.tellToGo(p, nil, evictionByAPI)
	s.teller.tell(Event{Kind: Evicted, Pod: p.obj, Node: p.obj.NodeName}, "drained, gone by %.3f", p.until.Seconds())
	return true, s.controllers.replaceEvicted(p)
}

// evictionByAPI is the reason of the condition that the eviction API sets.
const evictionByAPI = "EvictionByEvictionAPI"

// healthy returns the node without the taints that its kubelet has added.
func (ks *kubeletWork) healthy(h *host) *outrank.Node {
	if ks == nil {
		return h.node
	}

	n, k := *h.node, ks.table.of(h)
	for kind := range kindsOfPressure {
		if k.pressures[kind].on {
			n.Taints = withoutLast(n.Taints, pressureRules[kind].taint)
		}
	}
	return &n
}

// patience says when to stop waiting in a run in which nothing happens.
type patience struct {
	// most is the longest time without a change.
	most time.Duration
	// state is the state of the cluster at the last look, and since is the time of the first look that found
	// it.
	state uint64
	since time.Duration
}

// over reports whether it is time to give up: nothing is to come that would change anything, and either no
// pod waits or nothing has changed for too long.
func (p *patience) over(s *Simulation) bool {
	state, toCome := s.cluster.state(), s.agenda.toCome()
	if state != p.state || toCome {
		p.state = state
		p.since = s.clock.at
	}
	return !toCome && (s.line.inQueue == 0 || s.clock.at-p.since >= p.most)
}
