package preemption

import (
	"fmt"
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/refusing"
	"github.com/outrank-go/outrank/resource"
)

// callerFilter is a filter of the caller in an attempt.
type callerFilter struct {
	*Filter
	// state is what Start returned, nil for a filter with a Node.
	state FilterState
}

// beginCallers starts the caller's filters, which come after the built-in ones. One that has nothing to
// say is left out, and one that refuses the pod ends the attempt unless a filter before it has (rule
// 7.15.10).
func (a *attempt) beginCallers() error {
	for _, f := range a.config.Filters {
		own := callerFilter{Filter: f}
		if f.Start != nil {
			state, err := f.Start(a.pod, plainView{a})
			if err != nil {
				return fmt.Errorf("filter %s: pod %s: %w", f.Name, a.pod.Key(), err)
			}
			if state == nil {
				continue
			}
			own.state = state
			a.refuseBy(f.Name, state)
		}
		a.addCaller(own)
	}
	return nil
}

// refuseBy ends the attempt where a state refuses the pod (rule 7.15.10).
func (a *attempt) refuseBy(name string, state FilterState) {
	refused, ok := state.(refusing.State[Status])
	if !ok || a.refused.Code != Success {
		return
	}
	a.refused = unresolvableBy(name, refused.Refused().Status.Reasons...)
}

// addCaller has a filter of the caller asked like the built-in ones, and after them (rule 7.1.4).
func (a *attempt) addCaller(own callerFilter) {
	at := len(a.callers)
	a.callers = append(a.callers, own)
	f := builtInFilter{name: own.Name}
	if own.state == nil {
		f.ask = func(d *dryRun) Status { return asOf(own.Name, own.Node(d.pod, d.site.node)) }
	} else {
		f.ask = func(d *dryRun) Status { return asOf(own.Name, d.stateOf(at).Check(d.site.node)) }
		f.follow = func(d *dryRun, p *occupant, by int) { d.followCaller(at, p, by) }
	}
	a.filters = append(a.filters, f)
}

// asOf is a status of a caller's filter, of which the code and the reasons count.
func asOf(name string, said Status) Status {
	if said.Code == Success {
		return Status{}
	}
	return Status{Code: said.Code, Filter: name, Reasons: said.Reasons}
}

// stateOf is the state of the caller's filter at an index: as it began, until a pod comes or goes.
func (d *dryRun) stateOf(at int) FilterState {
	if d.states != nil && d.states[at] != nil {
		return d.states[at]
	}
	return d.callers[at].state
}

// followCaller tells a filter of the caller of a pod that has a part in what it says. What Start returned
// is only cloned.
func (d *dryRun) followCaller(at int, p *occupant, by int) {
	own := &d.callers[at]
	if own.Concerns != nil && !own.Concerns(p.pod) {
		return
	}
	if d.states == nil {
		d.states = make([]FilterState, len(d.callers))
	}
	if d.states[at] == nil {
		d.states[at] = own.state.Clone()
	}
	if by > 0 {
		d.states[at].Add(p.pod, p.site.node)
	} else {
		d.states[at].Remove(p.pod, p.site.node)
	}
}

// plainView shows the cluster of an attempt to filters and guards of the caller ([View]).
type plainView struct{ *attempt }

// Release implements [View].
func (v plainView) Release() outrank.Release { return v.cluster.Release.OrDefault() }

// Nodes implements [View].
func (v plainView) Nodes() iter.Seq[*outrank.Node] { return slices.Values(v.cluster.Nodes) }

// Node implements [View].
func (v plainView) Node(name string) (node *outrank.Node, ok bool) {
	if s := v.siteOf[name]; s != nil {
		return s.node, true
	}
	return nil, false
}

// PodsOn implements [View].
func (v plainView) PodsOn(node string) []*outrank.Pod {
	s := v.siteOf[node]
	if s == nil {
		return nil
	}
	var pods []*outrank.Pod
	for _, p := range s.running {
		pods = append(pods, p.pod)
	}
	slices.SortFunc(pods, byPriorityAndStart)
	return pods
}

// Nominated implements [View]: the preemptor's own nomination and those of other schedulers, too.
func (v plainView) Nominated() iter.Seq2[*outrank.Pod, string] {
	byNode := map[string][]*outrank.Pod{}
	for _, p := range v.cluster.Pods {
		if !p.Finished() && p.NodeName == "" && v.siteOf[p.NominatedNodeName] != nil {
			byNode[p.NominatedNodeName] = append(byNode[p.NominatedNodeName], p)
		}
	}
	return func(yield func(*outrank.Pod, string) bool) {
		for _, s := range v.sites {
			for _, p := range slices.SortedFunc(slices.Values(byNode[s.node.Name]), byPriorityAndStart) {
				if !yield(p, s.node.Name) {
					return
				}
			}
		}
	}
}

// Used implements [View].
func (v plainView) Used(node string, name resource.Name) int64 {
	s := v.siteOf[node]
	if s == nil {
		return 0
	}
	if name == resource.Pods {
		return int64(len(s.running))
	}
	used := int64(0)
	for _, p := range s.running {
		used = resource.AddSat(used, p.pod.RunningRequests(v.cluster.Release).Amount(name))
	}
	return used
}

// LeavesWith implements [View].
func (v plainView) LeavesWith(pod *outrank.Pod) (*outrank.PodGroup, *outrank.CompositePodGroup) {
	p := v.runningAs(pod)
	if p == nil {
		return nil, nil
	}
	u := v.unitOf(p)
	return u.group, u.composite
}

// Tracked implements [View], counting anew.
func (v plainView) Tracked(t *Tracker) ClusterState {
	if t == nil || t.New == nil {
		return nil
	}
	state := t.New()
	if state == nil {
		return nil
	}
	for _, s := range v.sites {
		for _, p := range s.running {
			if t.Concerns == nil || t.Concerns(p.pod) {
				state.Add(p.pod, s.node)
			}
		}
	}
	return state
}
