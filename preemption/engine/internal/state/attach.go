package state

import (
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Follower is a filter whose knowledge of the cluster a snapshot can keep: what the snapshot
// asks of a stateful filter.
type Follower interface {
	// Name tells it from the others that are attached.
	Name() string
	// Concerns reports whether a pod has a part in the state.
	Concerns(pod *outrank.Pod) bool
	// NewState returns the state of a cluster without pods.
	NewState() preemption.ClusterState
}

// Attach is preemption.Snapshot.Attach.
func (s *Snapshot) Attach(f Follower) error {
	if f == nil || f.Name() == "" {
		return fmt.Errorf("%w: attached filter without a name", outrank.ErrInvalid)
	}
	for i := range s.Attachments {
		if s.Attachments[i].filter.Name() == f.Name() {
			return fmt.Errorf("filter %s: %w: it is attached", f.Name(), preemption.ErrState)
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

// StateOf is preemption.Snapshot.StateOf. A filter that has ended, because a call's context has, is told of no
// more pods.
func (s *Snapshot) StateOf(f Follower) preemption.ClusterState {
	if f == nil {
		return nil
	}
	if i := s.AttachmentOf(f); i >= 0 {
		return s.Attachments[i].state
	}
	if i := s.kept.of(f); i >= 0 {
		s.kept[i].lent.Store(true)
		return s.kept[i].state
	}
	state := f.NewState()
	if state == nil {
		return nil
	}
	ending, mayEnd := f.(interface{ Ended() bool })
	for _, slot := range s.Order {
		if mayEnd && ending.Ended() {
			break
		}
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

// keptState is what a filter knows of the cluster of a snapshot for trials. Unlike what is
// attached it has no lists of pods on the nodes, and it can be told of pods that stay where
// they are in the snapshot.
type keptState struct {
	filter Follower
	state  preemption.ClusterState
	// lent is set once an attempt has seen the state, which then never changes any more.
	lent *atomic.Bool
}

type keptStates []keptState

// of returns the index of a filter, -1 for any other.
func (ks keptStates) of(f NamedFilter) int {
	return slices.IndexFunc(ks, func(k keptState) bool { return sameFilter(k.filter, f) })
}

// view returns the states for another snapshot.
func (ks keptStates) view() keptStates {
	c := slices.Clone(ks)
	for i := range c {
		c[i].lent = new(atomic.Bool)
		c[i].lent.Store(true)
	}
	return c
}

// KeepState keeps the states of a filter, which may be nil, and of those that are attached, for
// attempts that begin while the snapshot changes: each sees the cluster as it is when it begins.
// Nothing is attached any more afterwards.
func (s *Snapshot) KeepState(f Follower) {
	for i := range s.Attachments {
		a := &s.Attachments[i]
		if own, ok := a.filter.(Follower); ok && s.kept.of(own) < 0 {
			s.keep(own, a.state, true)
		}
	}
	s.Attachments = nil
	if f == nil || s.kept.of(f) >= 0 {
		return
	}
	if state := s.StateOf(f); state != nil {
		s.keep(f, state, false)
	}
}

func (s *Snapshot) keep(f Follower, state preemption.ClusterState, lent bool) {
	k := keptState{f, state, new(atomic.Bool)}
	k.lent.Store(lent)
	s.kept = append(s.kept, k)
}

// TellKept tells the states that are kept of a running pod that goes (by is -1) or comes back
// (1).
func (s *Snapshot) TellKept(p *PodState, by int) {
	for i := range s.kept {
		k := &s.kept[i]
		n := s.NodeState(p.At.Name)
		if n.Node == nil || !k.filter.Concerns(p.Pod) {
			continue
		}
		if k.lent.Swap(false) {
			k.state = k.state.Clone()
		}
		tell(k.state, p, n.Node, by)
	}
}
