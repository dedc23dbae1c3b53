package state

import (
	"cmp"
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Pods is engine.Snapshot.Pods.
func (s *Snapshot) Pods() iter.Seq[*outrank.Pod] {
	return func(yield func(*outrank.Pod) bool) {
		for p := range s.podStates() {
			if !yield(p.Pod) {
				return
			}
		}
	}
}

// podStates goes through the pods in the order of Pods: those on nodes by node, then the others.
func (s *Snapshot) podStates() iter.Seq[*PodState] {
	return func(yield func(*PodState) bool) {
		// The loop may change the snapshot. So the list of a node's pods is copied when its turn comes.
		var pods []*PodState
		for _, slot := range s.Order {
			pods = pods[:0]
			if n := s.NodeStates[slot]; n != nil && n.Node != nil {
				pods = append(pods, n.Pods...)
			}

			for _, p := range pods {
				if !yield(p) {
					return
				}
			}
		}

		// Finding the other pods takes a look at every pod of the index, and mostly there are none.
		if s.allPlaced() {
			return
		}
		for _, p := range s.unplaced() {
			if !yield(p) {
				return
			}
		}
	}
}

// allPlaced reports whether every pod of the snapshot runs on a node that exists.
func (s *Snapshot) allPlaced() bool {
	placed := 0
	for _, slot := range s.Order {
		placed += len(s.NodeStates[slot].Pods)
	}
	return placed == s.PodStates.pods
}

// unplaced lists the pods that do not run on an existing node: first those on nodes that do not exist, by
// node and importance, then the pending ones by key.
func (s *Snapshot) unplaced() []*PodState {
	var out []*PodState
	s.PodStates.Each(func(p *PodState) {
		if n := s.NodeState(p.Node()); n == nil || n.Node == nil {
			out = append(out, p)
		}
	})
	slices.SortFunc(out, compareUnplaced)
	return out
}

// compareUnplaced is the order of unplaced.
func compareUnplaced(p, q *PodState) int {
	switch {
	case p.Running && q.Running:
		return cmp.Or(cmp.Compare(p.At.Name, q.At.Name), p.Compare(q, rank.Never))
	case p.Running:
		return -1
	case q.Running:
		return 1
	}
	return cmp.Compare(p.Pod.Key(), q.Pod.Key())
}

// Cluster is engine.Snapshot.Cluster.
func (s *Snapshot) Cluster() *outrank.Cluster {
	c := &outrank.Cluster{
		Release:    s.Of.OrDefault(),
		Nodes:      slices.Collect(s.Nodes()),
		Budgets:    slices.Collect(s.Budgets()),
		Namespaces: slices.Collect(s.Namespaces()),
		Groups:     slices.Collect(s.Groups()),
		Composites: slices.Collect(s.Composites()),
	}
	for p := range s.podStates() {
		c.Pods = append(c.Pods, p.Located())
	}
	return c
}

// Located returns the pod with fields that say where it is in the snapshot: the caller's own object if its
// fields already do, otherwise a changed copy. The nominated node of a running pod does not matter.
func (p *PodState) Located() *outrank.Pod {
	if p.Pod.NodeName == p.Node() && (p.Running || p.Pod.NominatedNodeName == p.Nominated()) {
		return p.Pod
	}
	at := *p.Pod
	at.NodeName, at.NominatedNodeName = p.Node(), p.Nominated()
	return &at
}

// LocatedPods returns Located for each pod.
func LocatedPods(ps []*PodState) []*outrank.Pod {
	out := make([]*outrank.Pod, len(ps))
	for i, p := range ps {
		out[i] = p.Located()
	}
	return out
}
