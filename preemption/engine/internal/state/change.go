package state

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// RemoveNode is engine.Snapshot.RemoveNode.
func (s *Snapshot) RemoveNode(name string) error {
	slot, ok := s.Slots.Get(name)
	if !ok || s.NodeStates[slot].Node == nil {
		return fmt.Errorf("%s: %w", prose.Object("node", name), preemption.ErrNotFound)
	}
	s.unsetNode(slices.Index(s.Order, slot))
	return nil
}

// RemovePod is engine.Snapshot.RemovePod.
func (s *Snapshot) RemovePod(key outrank.Key) error {
	p, ok := s.PodStates.Get(key)
	if !ok {
		return fmt.Errorf("%s: %w", prose.Object("pod", key), preemption.ErrNotFound)
	}
	s.Drop(p)
	return nil
}

// Bind is engine.Snapshot.Bind.
func (s *Snapshot) Bind(key outrank.Key, node string) error {
	if node == "" {
		return s.unbind(key)
	}
	p, cell, err := s.pending(key, node)
	if err != nil {
		return err
	}
	s.replacePending(p, s.Moved(p, node, ""), cell)
	return nil
}

// unbind takes a pod off its node and leaves it pending, without a nomination.
func (s *Snapshot) unbind(key outrank.Key) error {
	p, ok := s.PodStates.Get(key)
	if !ok {
		return fmt.Errorf("%s: %w", prose.Object("pod", key), preemption.ErrNotFound)
	}
	if !p.Running {
		return fmt.Errorf("pod %s: %w: it has no node", key, preemption.ErrState)
	}
	s.replace(p, s.Moved(p, "", ""))
	return nil
}

// Nominate is engine.Snapshot.Nominate.
func (s *Snapshot) Nominate(key outrank.Key, node string) error {
	p, cell, err := s.pending(key, node)
	if err != nil {
		return err
	}
	if p.Nominated() != node {
		s.replacePending(p, s.Moved(p, "", node), cell)
	}
	return nil
}

// pending finds a pod that does not run, and its cell in the index. It also checks that node, to which the
// pod is about to move, exists; an empty name stands for no node.
func (s *Snapshot) pending(key outrank.Key, node string) (*PodState, int, error) {
	p, cell := s.PodStates.locate(key)
	if p == nil {
		return nil, 0, fmt.Errorf("%s: %w", prose.Object("pod", key), preemption.ErrNotFound)
	}
	if p.Node() != "" {
		return nil, 0, fmt.Errorf("pod %s: %w: it runs on node %s", key, preemption.ErrState, p.Node())
	}
	if _, ok := s.Node(node); !ok && node != "" {
		return nil, 0, fmt.Errorf("%s: %w", prose.Object("node", node), preemption.ErrNotFound)
	}
	return p, cell, nil
}

// replace puts q in the place of p, another state of the same pod.
func (s *Snapshot) replace(p, q *PodState) {
	if p.Running || p.Class != q.Class {
		s.Drop(p)
		s.Put(q)
		return
	}
	s.replacePending(p, q, s.PodStates.cellOf(p))
}

// replacePending is replace for a pending pod that stays in its class, and whose cell in the index is known.
// It has the effect of Drop and Put with less work, because the pod keeps its cell and its class.
func (s *Snapshot) replacePending(p, q *PodState, cell int) {
	s.PodStates.replaceAt(cell, q)
	s.note(dropPod, p)

	// Most pods start on the node that they are nominated to. In that case n stays set, and the node is
	// refreshed only once, when q is on it.
	var n *NodeState
	if p.At != nil {
		n = s.writable(p.At.Name)
		n.Nominated = removeByImportance(n.Nominated, p)
		if !q.Running || q.At.Name != n.Name { // else the node is refreshed for q
			s.refreshNominated(n)
			s.release(n)
			n = nil
		}
	}

	if n == nil {
		n = s.enter(q)
	} else {
		s.enterNode(n, q)
	}

	// The class already counts p as pending. All that is new to it is that q runs.
	if q.Running {
		s.membersOf(q.Class).start(n.Slot, q.Priority())
	}
	s.announce(n, q)
}
