package sim

import (
	"context"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/execution"
)

// actions is the cluster as the executor and the failure handler reach it:
// [execution.Actions] and [execution.FailureActions]. All of it takes effect at
// once.
type actions struct {
	s *Simulation
}

// find is the present life of this very pod, nil where it is over.
func (a *actions) find(obj *outrank.Pod) *pod {
	p := a.s.pods[obj.Key()]
	if p == nil || p.obj.UID != obj.UID || p.phase != Queued && !p.onNode() {
		return nil
	}
	return p
}

func missing(obj *outrank.Pod) error {
	return missingKey(obj.Key())
}

// Latest returns the pod as it is now.
func (a *actions) Latest(_ context.Context, obj *outrank.Pod) (*outrank.Pod, error) {
	if p := a.find(obj); p != nil {
		return p.obj, nil
	}
	return nil, missing(obj)
}

// Reject finds nobody waiting to be bound: binding takes no time.
func (a *actions) Reject(context.Context, *outrank.Pod) (bool, error) { return false, nil }

// Evict begins the victim's grace period.
func (a *actions) Evict(_ context.Context, e execution.Eviction) error {
	p := a.find(e.Victim)
	if p == nil || !p.onNode() {
		return missing(e.Victim)
	}
	if p.phase == Terminating {
		a.s.hasten(p, e.Grace)
		return nil
	}
	s := a.s
	s.countEviction(p)
	s.gangOf(p.obj).evicted(s.steps)
	s.tellToGo(p, e.Grace, e.Condition.Reason)
	by, node := e.Preemptor.Key(), e.Node
	if e.Group != nil {
		by, node = "group "+e.Group.Key(), p.obj.NodeName
	}
	s.tell(Event{Kind: Evicted, Pod: p.obj, Related: e.Preemptor, Node: node}, "by %s, gone by %.3f", by, p.until.Seconds())
	if s.config.Recreate.Rule == RecreateWhenEvicted {
		return s.recreate(p)
	}
	return nil
}

// countEviction notes that a pod is told to go, not from outside.
func (s *Simulation) countEviction(p *pod) {
	p.evicted = true
	p.lineage.evictions++
	s.evictions[p.obj.PriorityValue()]++
	s.unsampled = true
}

// Nominate notes the nomination on the pod.
func (a *actions) Nominate(_ context.Context, obj *outrank.Pod, node string) error {
	p := a.find(obj)
	if p == nil {
		return missing(obj)
	}
	a.s.nominate(p, node)
	return nil
}

// ClearNomination takes it back, and has the pod tried again at once.
func (a *actions) ClearNomination(_ context.Context, obj *outrank.Pod) error {
	p := a.find(obj)
	if p == nil {
		return missing(obj)
	}
	a.s.nominator.Remove(p.obj)
	a.s.nominate(p, "")
	a.s.queue.Activate(p.obj)
	return nil
}

// Activate has the pod tried again at once.
func (a *actions) Activate(obj *outrank.Pod) {
	if p := a.find(obj); p != nil {
		a.s.queue.Activate(p.obj)
	}
}

// Event tells of failures to place a pod; evictions are told where they happen.
func (a *actions) Event(e outrank.Event) {
	if e.Reason == execution.ReasonFailedScheduling {
		a.s.tell(Event{Kind: Refused, Pod: e.Pod}, "%s", strings.TrimSuffix(e.Message, "."))
	}
}

// UpdateStatus changes the nomination; conditions of pending pods are not kept.
func (a *actions) UpdateStatus(_ context.Context, obj *outrank.Pod, _ outrank.PodCondition, n execution.Nomination) error {
	p := a.find(obj)
	switch {
	case p == nil:
		return missing(obj)
	case n.Change == execution.SetNomination:
		a.s.nominate(p, n.Node)
	case n.Change == execution.DropNomination:
		a.s.nominate(p, "")
	}
	return nil
}

// nominate writes a nomination down on the pod; the nominator has it already.
func (s *Simulation) nominate(p *pod, node string) {
	before := p.obj.NominatedNodeName
	if before == node {
		return
	}
	if node == "" {
		s.tell(Event{Kind: NominationLost, Pod: p.obj, Node: p.obj.NominatedNodeName}, "")
	} else {
		s.tell(Event{Kind: Nominated, Pod: p.obj, Node: node}, "")
	}
	p.revise(func(o *outrank.Pod) { o.NominatedNodeName = node })
	must(s.queue.Update(p.obj, s.Time()))
	s.show(p)
	if before != "" {
		s.queue.RoomGivenUp(p.obj, s.Time())
	}
}
