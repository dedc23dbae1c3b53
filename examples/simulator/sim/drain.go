package sim

import (
	"time"

	"github.com/outrank-go/outrank"
)

// DefaultPatience is the default of [Autoscaler.Patience], and that of a drain.
const DefaultPatience = time.Hour

// drainRetry is the time after which a drain tries again to evict pods whose budgets did not allow it.
const drainRetry = 5 * time.Second

// Drain empties a node: it is cordoned, and its pods are told to go, the static ones apart, in the
// order of importance and as far as the budgets that cover them allow. The others are tried again
// every 5 s, until [Uncordon] ends it; it gives up where nothing else is on the way and nobody
// waits for a node, or nothing has changed for [DefaultPatience]. Controllers make the pods anew.
func Drain(name string) Change {
	return Change{what: "drain node " + name, do: func(s *Simulation) error { return s.beginDrain(name, false) }}
}

// Retire empties a node as [Drain] does, and removes it once it is empty, static pods with it.
func Retire(name string) Change {
	return Change{what: "retire node " + name, do: func(s *Simulation) error { return s.beginDrain(name, true) }}
}

// FailNode lets a node fail: it is removed, and the pods on it are gone at once, as by
// [RemoveNode]. After the time of repair it is back as it was, but empty and behind all others;
// with a repair of zero it is not. A node that is away already is left alone; one that never was is
// an error.
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
				return nil // somebody has put another one there
			}
			return s.fleet.add(n)
		}})
	}}
}

// draining is a drain under way.
type draining struct {
	host *host
	// remove is set if the node is to go once it is empty.
	remove bool
	// patience tells when the drain gives up.
	patience patience
}

// beginDrain closes a node for new pods and begins to empty it.
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

// goOnDraining tells those pods of a node to go that may leave it, and comes back for the others. Uncordon
// ends the drain.
func (s *Simulation) goOnDraining(d *draining) error {
	// The drain ends if the node was removed or opened again meanwhile.
	h := d.host
	if h.removed || !h.node.Unschedulable {
		return nil
	}
	left, err := s.evictAll(h)
	if err != nil {
		return err
	}

	// It comes back when the last pod that was told to go has left or, where a budget holds one back, to
	// try again. That look is idle: a drain that only waits for a budget keeps no run going.
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

// drainState says what a drain has left on a node, static pods apart.
type drainState struct {
	// refused is set if a budget holds a pod back, empty if no pod is on the node any more.
	refused, empty bool
	// lastGone is the time by which all pods that were told to go have left.
	lastGone time.Duration
}

// evictAll tells all pods of a node to go that are not static and whose budgets allow it.
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

// evictDrained tells a pod to go if the budgets that cover it allow that, and reports whether they do.
func (s *Simulation) evictDrained(p *pod) (told bool, err error) {
	// Each pod that was told to go before may have used up an allowance.
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

// healthy returns the node without the taints that its kubelet has put on it.
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

// patience tells when to stop looking at a run in which nothing happens.
type patience struct {
	// most is the longest time without a change.
	most time.Duration
	// state is the state of the cluster at the last look, and since is when it was seen first.
	state uint64
	since time.Duration
}

// over reports whether nothing is on the way but looks, and nobody waits or nothing has changed for
// too long.
func (p *patience) over(s *Simulation) bool {
	state, toCome := s.cluster.state(), s.agenda.toCome()
	if state != p.state || toCome {
		p.state = state
		p.since = s.clock.at
	}
	return !toCome && (s.line.inQueue == 0 || s.clock.at-p.since >= p.most)
}
