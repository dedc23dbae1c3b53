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

// unbind takes a pod off its node. The pod is pending from then on, without a nomination.
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

// pending finds a pod that does not run, and its cell in the index. It checks that the node which the
// pod is to have is there; an empty name stands for no node.
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

// replacePending is replace for a pod that does not run and stays in its class, and whose cell in
// the index is known. It comes to the same as Drop and Put, with less work: the pod keeps its cell
// and its class.
func (s *Snapshot) replacePending(p, q *PodState, cell int) {
	s.PodStates.replaceAt(cell, q)
	s.note(dropPod, p)

	// A pod mostly comes to run on the node that it is nominated to. That node is refreshed once
	// then, when q is on it, and n stays set.
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

	// The class counts p as pending already. Only that q runs is new to it.
	if q.Running {
		s.membersOf(q.Class).Nodes[n.Slot]++
	}
	s.announce(n, q)
}
