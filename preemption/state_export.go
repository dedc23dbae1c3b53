package preemption

import (
	"cmp"
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Pods goes through all pods: first those on the nodes, node by node in the order
// of [Snapshot.Nodes] and on each by importance; then those on nodes that the
// snapshot does not hold, by the name of the node and by importance; then the
// pending ones, by key. The loop may change the snapshot: what it changes about pods whose
// turn is yet to come is seen or not. Time is linear in the number of pods, beside that of
// sorting the pending ones.
func (s *Snapshot) Pods() iter.Seq[*outrank.Pod] {
	return func(yield func(*outrank.Pod) bool) {
		for p := range s.podStates() {
			if !yield(p.pod) {
				return
			}
		}
	}
}

// podStates goes through the pods in the order of Pods.
func (s *Snapshot) podStates() iter.Seq[*podState] {
	return func(yield func(*podState) bool) {
		var pods []*podState // of a node, as they are when its turn comes
		for _, slot := range s.order {
			pods = pods[:0]
			if n := s.nodes[slot]; n != nil && n.node != nil {
				pods = append(pods, n.pods...)
			}
			for _, p := range pods {
				if !yield(p) {
					return
				}
			}
		}
		for _, p := range s.unplaced() {
			if !yield(p) {
				return
			}
		}
	}
}

// unplaced lists the pods that are on none of the nodes, in the order of Pods.
func (s *Snapshot) unplaced() []*podState {
	var out []*podState
	s.pods.each(func(p *podState) {
		if n := s.node(p.node()); n == nil || n.node == nil {
			out = append(out, p)
		}
	})
	slices.SortFunc(out, func(p, q *podState) int {
		if p.running != q.running {
			if p.running {
				return -1
			}
			return 1
		}
		if p.running {
			return cmp.Or(cmp.Compare(p.at.name, q.at.name), p.compare(q, rank.Never))
		}
		return cmp.Compare(p.pod.Key(), q.pod.Key())
	})
	return out
}

// Cluster returns the state as a cluster, of which [NewSnapshot] makes an equal
// snapshot: the nodes and budgets in their order, the pods in that of
// [Snapshot.Pods], namespaces by name, groups and composite groups by key. Where a pod runs and what
// is nominated is as the snapshot knows it; a pod whose own fields say otherwise is
// replaced by a copy of which NodeName and NominatedNode are written. All other
// objects are the caller's own, and none is changed. Priority classes, claims,
// workloads and what was skipped are empty: a snapshot does not keep them. The slices
// are the caller's. Time is that of Pods.
func (s *Snapshot) Cluster() *outrank.Cluster {
	c := &outrank.Cluster{
		Release:    s.Release(),
		Nodes:      slices.Collect(s.Nodes()),
		Budgets:    s.Budgets(),
		Namespaces: slices.Collect(s.Namespaces()),
		Groups:     slices.Collect(s.Groups()),
		Composites: slices.Collect(s.Composites()),
	}
	for p := range s.podStates() {
		c.Pods = append(c.Pods, p.located())
	}
	return c
}

// located returns the pod with fields that say where it is.
func (p *podState) located() *outrank.Pod {
	if p.pod.NodeName == p.node() && (p.running || p.pod.NominatedNode == p.nominated()) {
		return p.pod
	}
	at := *p.pod
	at.NodeName, at.NominatedNode = p.node(), p.nominated()
	return &at
}

// locatedPods returns the pods with fields that say where they are.
func locatedPods(ps []*podState) []*outrank.Pod {
	out := make([]*outrank.Pod, len(ps))
	for i, p := range ps {
		out[i] = p.located()
	}
	return out
}
