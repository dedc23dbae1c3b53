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
	// state is what Start returned; nil for a filter with a Node.
	state FilterState
}

// beginCallers starts the caller's filters, which come after the built-in ones (rule 7.1.4). A filter that
// has nothing to say about the pod is left out.
func (a *attempt) beginCallers() error {
	for _, f := range a.config.Filters {
		if f.Start == nil {
			a.addCaller(callerFilter{Filter: f})
			continue
		}

		state, err := f.Start(a.pod, plainView{a})
		if err != nil {
			return fmt.Errorf("filter %s: pod %s: %w", f.Name, a.pod.Key(), err)
		}
		if state == nil {
			continue
		}
		a.refuseBy(f.Name, state)
		a.addCaller(callerFilter{f, state})
	}
	return nil
}

// refuseBy turns the pod down on every node if the state does, and nothing before it has (rule 7.15.10).
func (a *attempt) refuseBy(name string, state FilterState) {
	refused, ok := state.(refusing.State[Status])
	if !ok || a.refused.Code != Success {
		return
	}
	a.refused = unresolvableBy(name, refused.Refused().Status.Reasons...)
}

// addCaller adds a filter of the caller in the form of a built-in one. Only a filter with a state follows the
// pods that come and go.
func (a *attempt) addCaller(own callerFilter) {
	index := len(a.callers)
	a.callers = append(a.callers, own)

	f := builtInFilter{name: own.Name}
	if own.state == nil {
		f.ask = func(d *dryRun) Status { return saidBy(own.Name, own.Node(d.pod, d.node())) }
	} else {
		f.ask = func(d *dryRun) Status { return saidBy(own.Name, d.stateOf(index).Check(d.node())) }
		f.follow = func(d *dryRun, p *occupant, by int) { d.followCaller(index, p, by) }
	}

	a.filters = append(a.filters, f)
}

// saidBy returns a status of a caller's filter in the form of an answer: its code and reasons count, and the
// filter's name is added.
func saidBy(name string, said Status) Status {
	if said.Code == Success {
		return Status{}
	}
	return Status{Code: said.Code, Filter: name, Reasons: said.Reasons}
}

// stateOf returns the present state of the caller's filter at an index. Until the filter is told of a pod, it is
// the state that Start returned.
func (d *dryRun) stateOf(index int) FilterState {
	if d.states != nil && d.states[index] != nil {
		return d.states[index]
	}
	return d.attempt.callers[index].state
}

// followCaller tells a filter of the caller that a pod has come or gone, unless its Concerns rules the pod out.
func (d *dryRun) followCaller(index int, p *occupant, by int) {
	own := &d.attempt.callers[index]
	if own.Concerns != nil && !own.Concerns(p.pod) {
		return
	}

	// The state that Start returned serves all nodes, so only a clone of it may change (FilterState).
	if d.states == nil {
		d.states = make([]FilterState, len(d.attempt.callers))
	}
	if d.states[index] == nil {
		d.states[index] = own.state.Clone()
	}

	if by > 0 {
		d.states[index].Add(p.pod, p.site.node)
	} else {
		d.states[index].Remove(p.pod, p.site.node)
	}
}

// plainView shows the cluster of an attempt to filters and guards of the caller ([View]).
type plainView struct{ attempt *attempt }

// cluster returns the cluster of the attempt.
func (v plainView) cluster() *outrank.Cluster { return v.attempt.cluster }

// Release implements [View].
func (v plainView) Release() outrank.Release { return v.cluster().Release.OrDefault() }

// Nodes implements [View].
func (v plainView) Nodes() iter.Seq[*outrank.Node] { return slices.Values(v.cluster().Nodes) }

// Node implements [View].
func (v plainView) Node(name string) (node *outrank.Node, ok bool) {
	if s := v.attempt.siteOf[name]; s != nil {
		return s.node, true
	}
	return nil, false
}

// PodsOn implements [View].
func (v plainView) PodsOn(node string) []*outrank.Pod {
	s := v.attempt.siteOf[node]
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

// Nominated implements [View]. Unlike site.nominated, it includes the preemptor's own nomination and the
// nominations of other schedulers' pods.
func (v plainView) Nominated() iter.Seq2[*outrank.Pod, string] {
	byNode := map[string][]*outrank.Pod{}
	for _, p := range v.cluster().Pods {
		if !p.Finished() && p.NodeName == "" && v.attempt.siteOf[p.NominatedNodeName] != nil {
			byNode[p.NominatedNodeName] = append(byNode[p.NominatedNodeName], p)
		}
	}

	return func(yield func(*outrank.Pod, string) bool) {
		for _, s := range v.attempt.sites {
			for _, p := range slices.SortedFunc(slices.Values(byNode[s.name()]), byPriorityAndStart) {
				if !yield(p, s.name()) {
					return
				}
			}
		}
	}
}

// Used implements [View].
func (v plainView) Used(node string, name resource.Name) int64 {
	s := v.attempt.siteOf[node]
	if s == nil {
		return 0
	}
	if name == resource.Pods {
		return int64(len(s.running))
	}

	used := int64(0)
	for _, p := range s.running {
		used = resource.AddSat(used, p.pod.RunningRequests(v.cluster().Release).Amount(name))
	}
	return used
}

// LeavesWith implements [View].
func (v plainView) LeavesWith(pod *outrank.Pod) (*outrank.PodGroup, *outrank.CompositePodGroup) {
	p := v.attempt.runningAs(pod)
	if p == nil {
		return nil, nil
	}
	u := v.attempt.unitOf(p)
	return u.group, u.composite
}

// Tracked implements [View]. It counts all pods with each call, and keeps nothing.
func (v plainView) Tracked(t *Tracker) ClusterState {
	if t == nil || t.New == nil {
		return nil
	}
	state := t.New()
	if state == nil {
		return nil
	}

	for _, s := range v.attempt.sites {
		for _, p := range s.running {
			if t.Concerns == nil || t.Concerns(p.pod) {
				state.Add(p.pod, s.node)
			}
		}
	}
	return state
}
