package state

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// Put adds a pod that is not in the snapshot.
//
// The caller's filters and trackers are told last, here and in all changes: if one of them panics,
// the snapshot is consistent, and Undo reverts the change.
func (s *Snapshot) Put(p *PodState) {
	s.PodStates.set(p)
	n := s.enter(p)
	s.join(p)
	s.announce(n, p)
}

// enter puts a pod on the node that it runs on or is nominated to, and returns the state of that
// node, nil where there is none.
func (s *Snapshot) enter(p *PodState) *NodeState {
	if p.At == nil {
		return nil
	}
	n := s.writable(p.At.Name)
	s.enterNode(n, p)
	return n
}

// enterNode puts a pod on a node as running or nominated, whichever it is.
func (s *Snapshot) enterNode(n *NodeState, p *PodState) {
	if p.Running {
		n.addPod(p, s.traits)
		s.joinUnit(p, n)
		s.refresh(n)
	} else {
		n.Nominated = insertByImportance(n.Nominated, p)
		s.refreshNominated(n)
	}
}

// announce ends the putting of a pod, which its node and its class count already: it counts the pod's
// claims, notes the change, and tells the caller's filters and trackers. n is nil for a pod without a
// node.
func (s *Snapshot) announce(n *NodeState, p *PodState) {
	s.useClaims(p, 1)
	s.note(putPod, p)
	if p.Running {
		s.tellAttached(n, p, 1)
	}
}

// tellAttached tells the caller's filters and trackers of a running pod that was put (by is 1) or
// dropped (-1).
func (s *Snapshot) tellAttached(n *NodeState, p *PodState, by int) {
	s.attached.follow(n, p, by, s.Owner)
	s.trial.follow(p, n.Node, by)
}

// note notes for Undo and for the follower that a pod was put or dropped.
func (s *Snapshot) note(kind stepKind, p *PodState) {
	s.Journal.watcher.notePod(p.Pod, len(s.NodeStates))
	s.Journal.record(step{kind: kind, pod: p})
}

// Drop removes a pod that is in the snapshot.
func (s *Snapshot) Drop(p *PodState) {
	s.PodStates.remove(p)
	s.leave(p)
	s.useClaims(p, -1)
	s.note(dropPod, p)
	if p.At == nil {
		return
	}

	n := s.writable(p.At.Name)
	if p.Running {
		n.removePod(p, s.traits)
		s.leaveUnit(p, n)
		s.refresh(n)
	} else {
		n.Nominated = removeByImportance(n.Nominated, p)
		s.refreshNominated(n)
	}

	// The caller's filters and trackers are told once the pod is counted nowhere.
	if p.Running {
		s.tellAttached(n, p, -1)
	}
	s.release(n)
}

// changeNode replaces the node of a slot by another version of it. The node keeps its
// place in the order.
func (s *Snapshot) changeNode(slot int32, obj *outrank.Node) {
	n := s.writable(s.NodeStates[slot].Name)
	was := n.Node
	s.Journal.record(step{kind: changeNode, node: was})
	s.Topology.relabel(slot, was.Labels, obj.Labels, s.Owner)
	s.replaceNode(n, obj)
	s.attached.followNode(n, was, s.Owner)
}

// replaceNode replaces the object of a node; nil stands for no node. It brings in line what follows
// from the object, except for the order, the topology and the caller's filters and trackers.
func (s *Snapshot) replaceNode(n *NodeState, obj *outrank.Node) {
	joins, leaves := n.Node == nil && obj != nil, n.Node != nil && obj == nil

	// Units count only pods on nodes that exist (rule 12.6.7). Pods leave their units while the node
	// is still there, and join them once it is.
	if leaves {
		s.leaveUnits(n)
	}
	n.setNode(obj, s.Columns)
	if obj != nil {
		for k, v := range n.Offers.Std {
			s.Summaries.smallest[k] = min(s.Summaries.smallest[k], v)
		}
	}
	if joins {
		s.joinUnits(n)
	}

	s.Answers.changed(n.Slot, len(s.NodeStates))
	s.refresh(n)
}

// setNode inserts a node at a position in the order.
func (s *Snapshot) setNode(name string, obj *outrank.Node, position int) {
	n := s.writable(name)
	was := n.Node
	s.replaceNode(n, obj)
	s.Topology.relabel(n.Slot, nil, obj.Labels, s.Owner)

	// The cache keeps answers by position. A loop over the nodes may be running, and goes on over the list
	// as it was: appending does not change that one, and inserting elsewhere makes a new list.
	s.Cache.forget()
	s.writeOrder()
	if position < len(s.Order) {
		s.Order = slices.Clone(s.Order)
	}
	s.Order = slices.Insert(s.Order, position, n.Slot)

	s.Journal.watcher.noteNode(name)
	s.Journal.record(step{kind: putNode, node: obj, position: position})
	s.attached.followNode(n, was, s.Owner)
}

// unsetNode removes the node at a position in the order.
func (s *Snapshot) unsetNode(position int) {
	n := s.writable(s.NodeStates[s.Order[position]].Name)
	was := n.Node
	s.Journal.watcher.noteNode(n.Name)
	s.Journal.record(step{kind: dropNode, node: was, position: position})
	s.Topology.relabel(n.Slot, was.Labels, nil, s.Owner)

	// A loop over the nodes may be running, and goes on over the list as it was (setNode).
	s.writeOrder()
	s.Order = slices.Delete(slices.Clone(s.Order), position, position+1)
	s.replaceNode(n, nil)
	s.Cache.forget()

	s.attached.followNode(n, was, s.Owner)
	s.release(n)
}
