package sim

import (
	"context"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// actions carries out what a scheduling attempt asks of the cluster. Every action takes effect at once.
type actions struct {
	config      *Config
	clock       *clock
	teller      *teller
	lives       *lives
	cluster     *cluster
	line        *line
	gangs       *gangs
	controllers *controllers
	stays       *stays
	life        *life
	// broke is an error after which the run cannot go on.
	broke error
}

// functions returns the actions in the form that an executor calls. No pod ever waits to be bound, because
// binding takes no time.
func (a *actions) functions() execution.Actions {
	return execution.Actions{
		Latest: a.latest, Evict: a.evict, Nominate: a.setNomination, ClearNomination: a.clearNomination,
		Activate: a.activate, Event: a.event, UpdateStatus: a.updateStatus, Bind: a.bind,
	}
}

// bind binds a pod to a node, which changes the snapshot. An error of the caller's Bind fails the attempt;
// any other error ends the run.
func (a *actions) bind(_ context.Context, obj *outrank.Pod, node string) error {
	p, h := a.lives.pods[obj.Key()], a.cluster.hosts[node]
	if a.config.Bind != nil {
		if err := a.config.Bind(p.obj, h.node); err != nil {
			return err
		}
	}
	if err := a.life.bind(p, h); err != nil {
		a.broke = err
	}
	return nil
}

// latest returns the pod as it is now.
func (a *actions) latest(_ context.Context, obj *outrank.Pod) (*outrank.Pod, error) {
	if p := a.lives.find(obj); p != nil {
		return p.obj, nil
	}
	return nil, missingPod(obj.Key())
}

// evict begins the victim's grace period.
func (a *actions) evict(_ context.Context, e execution.Eviction) error {
	p := a.lives.find(e.Victim)
	if p == nil || !p.onNode() {
		return missingPod(e.Victim.Key())
	}
	if p.phase == Terminating {
		a.stays.hasten(p, e.Grace)
		return nil
	}

	// The caller is asked before anything changes, so that a refusal leaves the victim as it was.
	if a.config.Evict != nil {
		if err := a.config.Evict(p.obj, e.Preemptor); err != nil {
			a.cluster.changed(nil) // the next attempt may succeed, so it must not be skipped
			return err
		}
	}

	p.cause = Preempted
	a.stays.countEviction(p)
	a.gangs.of(p.obj).evicted(a.clock.steps)
	a.stays.tellToGo(p, e.Grace, e.Condition.Reason)

	// A plan for a gang may have victims on several nodes, so its events name the node of the victim.
	by, node := e.Preemptor.Key(), e.Node
	if e.Group != nil {
		by, node = "group "+e.Group.Key(), p.obj.NodeName
	}
	a.teller.tell(Event{Kind: Evicted, Pod: p.obj, Related: e.Preemptor, Node: node}, "by %s, gone by %.3f", by, p.until.Seconds())
	return a.controllers.replaceEvicted(p)
}

// setNomination writes the nomination on the pod.
func (a *actions) setNomination(_ context.Context, obj *outrank.Pod, node string) error {
	p := a.lives.find(obj)
	if p == nil {
		return missingPod(obj.Key())
	}
	a.nominate(p, node)
	return nil
}

// clearNomination removes the pod's nomination, and lets the pod be tried again at once.
func (a *actions) clearNomination(_ context.Context, obj *outrank.Pod) error {
	p := a.lives.find(obj)
	if p == nil {
		return missingPod(obj.Key())
	}

	// The nominator forgets the nomination first, because nominate shows the snapshot what the nominator
	// knows.
	a.cluster.withdrawNomination(p.obj)
	a.nominate(p, "")
	a.line.activate(p.obj)
	return nil
}

// activate lets the pod be tried again at once.
func (a *actions) activate(obj *outrank.Pod) {
	if p := a.lives.find(obj); p != nil {
		a.line.activate(p.obj)
	}
}

// event reports the failure to place a pod. Evictions have been reported by evict.
func (a *actions) event(e outrank.Event) {
	if e.Reason == "FailedScheduling" {
		a.teller.tell(Event{Kind: Refused, Pod: e.Pod}, "%s", strings.TrimSuffix(e.Message, "."))
	}
}

// updateStatus changes the nomination. It ignores the condition, because the simulation keeps none for
// pending pods.
func (a *actions) updateStatus(_ context.Context, obj *outrank.Pod, _ outrank.PodCondition, n execution.Nomination) error {
	p := a.lives.find(obj)
	switch {
	case p == nil:
		return missingPod(obj.Key())
	case n.Override:
		a.nominate(p, n.Node)
	}
	return nil
}

// nominate writes a nomination on the pod and tells the queue and the snapshot. The nominator has it already.
func (a *actions) nominate(p *pod, node string) {
	before := p.obj.NominatedNodeName
	if before == node {
		return
	}

	if node == "" {
		a.teller.tell(Event{Kind: NominationLost, Pod: p.obj, Node: p.obj.NominatedNodeName}, "")
	} else {
		a.teller.tell(Event{Kind: Nominated, Pod: p.obj, Node: node}, "")
	}

	p.revise(func(o *outrank.Pod) { o.NominatedNodeName = node })
	must(a.line.update(p.obj))
	a.cluster.show(p)

	// Other pods may use the room that was reserved on the previous node.
	if before != "" {
		a.line.roomGivenUp(p.obj)
	}
}
