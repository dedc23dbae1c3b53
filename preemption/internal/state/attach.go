package state

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
)

// Follower is a filter whose knowledge of the cluster a snapshot can keep: what the snapshot
// asks of a stateful filter.
type Follower interface {
	// Name tells it from the others that are attached.
	Name() string
	// Concerns reports whether a pod has a part in the state.
	Concerns(pod *outrank.Pod) bool
	// NewState returns the state of a cluster without pods.
	NewState() decision.ClusterState
}

// NamedFilter is any filter.
type NamedFilter interface{ Name() string }

// attachedFilter is a filter whose state a snapshot keeps.
type attachedFilter struct {
	filter   NamedFilter
	concerns func(*outrank.Pod) bool
	state    decision.ClusterState
	// owner may change state; any other snapshot copies it first.
	owner *Owner
}

// attachments are the filters that are attached to a snapshot. o is the owner of what
// the snapshot may change.
type attachments []attachedFilter

// writableState returns the state of an attachment for writing.
func (as attachments) writableState(i int, o *Owner) decision.ClusterState {
	a := &as[i]
	if a.owner != o {
		a.state, a.owner = a.state.Clone(), o
	}
	return a.state
}

// follow tells the states of a pod that was put on a node (1) or taken away (-1).
func (as attachments) follow(n *NodeState, p *PodState, by int, o *Owner) {
	for i := range as {
		if as[i].concerns(p.Pod) && n.list(p, i, by) && n.Node != nil {
			tell(as.writableState(i, o), p, n.Node, by)
		}
	}
}

// misjudge reports whether a filter has another opinion of whether a pod on the node
// concerns it than when the pod came.
func (as attachments) misjudge(n *NodeState, p *PodState) bool {
	for i := range as {
		if as[i].concerns(p.Pod) != slices.Contains(n.Concerning(i), p) {
			return true
		}
	}
	return false
}

// followNode tells the states of all pods of a node, which has taken the place of
// another version of it; nil stands for none.
func (as attachments) followNode(n *NodeState, was *outrank.Node, o *Owner) {
	for i, pods := range n.attached {
		if was != nil {
			for _, p := range pods {
				tell(as.writableState(i, o), p, was, -1)
			}
		}
		if n.Node != nil {
			for _, p := range pods {
				tell(as.writableState(i, o), p, n.Node, 1)
			}
		}
	}
}

func tell(state decision.ClusterState, p *PodState, node *outrank.Node, by int) {
	if by > 0 {
		state.Add(p.Pod, node)
	} else {
		state.Remove(p.Pod, node)
	}
}

// Attach is preemption.Snapshot.Attach.
func (s *Snapshot) Attach(f Follower) error {
	if f == nil || f.Name() == "" {
		return fmt.Errorf("%w: attached filter without a name", outrank.ErrInvalid)
	}
	for i := range s.Attachments {
		if s.Attachments[i].filter.Name() == f.Name() {
			return fmt.Errorf("filter %s: %w: it is attached", f.Name(), decision.ErrExists)
		}
	}
	state := f.NewState()
	if state == nil {
		return fmt.Errorf("filter %s: %w: its state is nil", f.Name(), outrank.ErrInvalid)
	}
	// The filter is called first: where it panics, nothing is attached.
	concerned := map[string][]*PodState{}
	for _, n := range s.NodeStates {
		if n == nil {
			continue
		}
		for _, p := range n.Pods {
			if !f.Concerns(p.Pod) {
				continue
			}
			concerned[n.Name] = append(concerned[n.Name], p)
			if n.Node != nil {
				state.Add(p.Pod, n.Node)
			}
		}
	}
	at := len(s.Attachments)
	s.Attachments = append(s.Attachments, attachedFilter{f, f.Concerns, state, s.Owner})
	for name, pods := range concerned {
		n := s.writable(name)
		for _, p := range pods {
			n.list(p, at, 1)
		}
	}
	return nil
}

// StateOf is preemption.Snapshot.StateOf.
func (s *Snapshot) StateOf(f Follower) decision.ClusterState {
	if f == nil {
		return nil
	}
	if i := s.AttachmentOf(f); i >= 0 {
		return s.Attachments[i].state
	}
	state := f.NewState()
	if state == nil {
		return nil
	}
	for _, slot := range s.Order {
		n := s.NodeStates[slot]
		for _, p := range n.Pods {
			if f.Concerns(p.Pod) {
				state.Add(p.Pod, n.Node)
			}
		}
	}
	return state
}

// AttachmentOf returns the index of a filter that is attached, -1 for any other.
func (s *Snapshot) AttachmentOf(f NamedFilter) int {
	for i := range s.Attachments {
		if sameFilter(s.Attachments[i].filter, f) {
			return i
		}
	}
	return -1
}

// sameFilter reports whether two filters are the same, as far as that can be seen.
func sameFilter(a, f NamedFilter) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(f) || a.Name() != f.Name() {
		return false
	}
	return !reflect.ValueOf(a).Comparable() || a == f
}
