package state

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

// AddNode adds a node at the end of the order. Pods that already name the node
// are on it from now on. Errors: [ErrExists], and those of
// [outrank.Node.Validate].
func (s *Snapshot) AddNode(n *outrank.Node) error {
	s.Begin()
	if err := n.Validate(); err != nil {
		return err
	}
	if _, ok := s.Node(n.Name); ok {
		return fmt.Errorf("%s: %w", phrase.Object("node", n.Name), decision.ErrExists)
	}
	s.setNode(n.Name, n, len(s.Order))
	return nil
}

// RemoveNode removes a node. Its pods stay known, as in the scheduler's cache,
// but count nowhere until they are removed or the node comes back. Error:
// [ErrNotFound]. Time is linear in the number of nodes.
func (s *Snapshot) RemoveNode(name string) error {
	slot, ok := s.Slots.Get(name)
	if !ok || s.NodeStates[slot].Node == nil {
		return fmt.Errorf("%s: %w", phrase.Object("node", name), decision.ErrNotFound)
	}
	s.unsetNode(slices.Index(s.Order, slot))
	return nil
}

// UpdateNode replaces a node by a newer version. The node keeps its position in
// the order and its pods. Errors: [ErrNotFound], and those of
// [outrank.Node.Validate]. Time is linear in the number of nodes.
func (s *Snapshot) UpdateNode(n *outrank.Node) error {
	if err := n.Validate(); err != nil {
		return err
	}
	slot, ok := s.Slots.Get(n.Name)
	if !ok || s.NodeStates[slot].Node == nil {
		return fmt.Errorf("%s: %w", phrase.Object("node", n.Name), decision.ErrNotFound)
	}
	s.changeNode(slot, n)
	return nil
}

// AddPod adds a pod: to the node that it names, or as pending, nominated if it
// says so. Errors: [ErrExists], [ErrState] for a finished pod, and those of
// [outrank.Pod.Validate]. Time is linear in the pods on the node.
func (s *Snapshot) AddPod(p *outrank.Pod) error {
	s.Begin()
	if err := p.Validate(); err != nil {
		return err
	}
	if p.Finished() {
		return fmt.Errorf("pod %s: %w: it has finished", p.Key(), decision.ErrState)
	}
	if _, ok := s.PodStates.Of(p); ok {
		return fmt.Errorf("pod %s: %w", p.Key(), decision.ErrExists)
	}
	s.Put(s.NewPodState(p, p.NodeName, p.NominatedNode, s.ClassOf(p)))
	return nil
}

// UpdatePod replaces a pod by a newer version. The pod stays on its node, or
// pending with the nomination that it has: [Snapshot.Bind] and
// [Snapshot.Nominate] change these. Errors: [ErrNotFound], also where the known pod of
// the name has another UID, [ErrState] for a pod that has finished and should be removed, and
// for the very object that the snapshot holds, changed in place ([Snapshot.PutPod]), and
// those of [outrank.Pod.Validate].
func (s *Snapshot) UpdatePod(p *outrank.Pod) error {
	if err := p.Validate(); err != nil {
		return err
	}
	old, ok := s.PodStates.Of(p)
	switch {
	case !ok:
		return fmt.Errorf("pod %s: %w", p.Key(), decision.ErrNotFound)
	case !SamePod(old.Pod, p):
		return fmt.Errorf("pod %s: %w: another pod has its name", p.Key(), decision.ErrNotFound)
	case p.Finished():
		return fmt.Errorf("pod %s: %w: it has finished", p.Key(), decision.ErrState)
	case old.Pod == p && s.changedInPlace(old):
		return errInPlace(p)
	}
	s.replace(old, s.NewPodState(p, old.Node(), old.Nominated(), s.ClassOf(p)))
	return nil
}

// RemovePod removes the pod with this key (namespace/name), running or pending.
// Error: [ErrNotFound].
func (s *Snapshot) RemovePod(key outrank.Key) error {
	p, ok := s.PodStates.Get(key)
	if !ok {
		return fmt.Errorf("%s: %w", phrase.Object("pod", key), decision.ErrNotFound)
	}
	s.Drop(p)
	return nil
}

// Bind puts a pending pod on a node; a nomination it had is over. Nothing is
// checked but that both are there: whether the pod fits is the caller's
// business. Errors: [ErrNotFound]; [ErrState] for a pod that has a node.
func (s *Snapshot) Bind(key outrank.Key, node string) error {
	p, err := s.pending(key, node)
	if err != nil {
		return err
	}
	s.replace(p, s.Moved(p, node, ""))
	return nil
}

// Nominate records that room was made for a pending pod on a node. With an
// empty node it removes the nomination. Errors: [ErrNotFound]; [ErrState] for a
// pod that has a node.
func (s *Snapshot) Nominate(key outrank.Key, node string) error {
	p, err := s.pending(key, node)
	if err != nil {
		return err
	}
	if p.Nominated() != node {
		s.replace(p, s.Moved(p, "", node))
	}
	return nil
}

// pending finds a pod without a node, and checks the node it is to have, if
// any.
func (s *Snapshot) pending(key outrank.Key, node string) (*PodState, error) {
	p, ok := s.PodStates.Get(key)
	if !ok {
		return nil, fmt.Errorf("%s: %w", phrase.Object("pod", key), decision.ErrNotFound)
	}
	if p.Node() != "" {
		return nil, fmt.Errorf("pod %s: %w: it runs on node %s", key, decision.ErrState, p.Node())
	}
	if _, ok := s.Node(node); !ok && node != "" {
		return nil, fmt.Errorf("%s: %w", phrase.Object("node", node), decision.ErrNotFound)
	}
	return p, nil
}

func (s *Snapshot) replace(p, q *PodState) {
	s.Drop(p)
	s.Put(q)
}
