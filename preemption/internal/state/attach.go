package state

import (
	"fmt"
	"reflect"

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
