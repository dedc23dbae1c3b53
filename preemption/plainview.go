package preemption

import (
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// view shows the cluster of an attempt to filters and guards of the caller ([View]).
type view struct{ *attempt }

// Release implements [View].
func (v view) Release() outrank.Release { return v.cluster.Release.OrDefault() }

// Nodes implements [View].
func (v view) Nodes() iter.Seq[*outrank.Node] { return slices.Values(v.cluster.Nodes) }

// Node implements [View].
func (v view) Node(name string) (node *outrank.Node, ok bool) {
	if s := v.siteOf[name]; s != nil {
		return s.node, true
	}
	return nil, false
}

// PodsOn implements [View].
func (v view) PodsOn(node string) []*outrank.Pod {
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
func (v view) Nominated() iter.Seq2[*outrank.Pod, string] {
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
func (v view) Used(node string, name resource.Name) int64 {
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
func (v view) LeavesWith(pod *outrank.Pod) (*outrank.PodGroup, *outrank.CompositePodGroup) {
	p := v.runningAs(pod)
	if p == nil {
		return nil, nil
	}
	u := v.unitOf(p)
	return u.group, u.composite
}

// Tracked implements [View], counting anew.
func (v view) Tracked(t *Tracker) ClusterState {
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
