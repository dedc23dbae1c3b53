package state

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// Put adds a pod that is not in the snapshot.
//
// Attached filters are told last, here and in all changes: where they panic, the
// snapshot is whole, and Undo reverts the change.
func (s *Snapshot) Put(p *PodState) {
	s.PodStates.set(p)
	n := s.enter(p)
	s.join(p)
	s.announce(n, p)
}

// enter puts a pod on the node that it runs on or is nominated to, and returns that, nil for
// none.
func (s *Snapshot) enter(p *PodState) *NodeState {
	if p.At == nil {
		return nil
	}
	n := s.writable(p.At.Name)
	s.enterNode(n, p)
	return n
}

func (s *Snapshot) enterNode(n *NodeState, p *PodState) {
	if p.Running {
		n.addPod(p, s.traits)
		s.joinUnit(p, n)
		s.refresh(n)
	} else {
		n.Nominated = insertByImportance(n.Nominated, p)
		s.renominate(n)
	}
}

// announce tells everybody who has to know of a pod that was put, and is counted, on a node, if any.
func (s *Snapshot) announce(n *NodeState, p *PodState) {
	s.useClaims(p, 1)
	s.note(putPod, p)
	if p.Running {
		s.tellOwn(n, p, 1)
	}
}

// tellOwn tells what is kept for the caller of a running pod that was put (by is 1) or dropped (-1).
func (s *Snapshot) tellOwn(n *NodeState, p *PodState, by int) {
	s.attached.follow(n, p, by, s.Owner)
	s.trial.follow(p, n.Node, by)
}

// note notes that a pod was put or dropped.
func (s *Snapshot) note(kind stepKind, p *PodState) {
	s.Journal.watcher.notePod(p.Pod, len(s.NodeStates))
	s.Journal.record(step{kind: kind, pod: p})
}

// Drop removes a pod.
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
		s.renominate(n)
	}
	if p.Running {
		s.tellOwn(n, p, -1)
	}
	s.release(n)
}

// changeNode replaces the node of a slot by another version of it, which has its
// place in the order.
func (s *Snapshot) changeNode(slot int32, obj *outrank.Node) {
	n := s.writable(s.NodeStates[slot].Name)
	s.Journal.record(step{kind: changeNode, node: n.Node})
	s.Topology.relabel(slot, n.Node.Labels, obj.Labels, s.Owner)
	was := n.Node
	s.replaceNode(n, obj)
	s.attached.followNode(n, was, s.Owner)
}

// replaceNode puts another node, or nil for none, in the place of the one that there
// is, and tells everybody who has to know but attached filters.
func (s *Snapshot) replaceNode(n *NodeState, obj *outrank.Node) {
	joins, leaves := n.Node == nil && obj != nil, n.Node != nil && obj == nil
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
	s.Cache.forget()
	s.writeOrder()
	if position < len(s.Order) {
		s.Order = slices.Clone(s.Order) // a loop may be going over it
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
	s.Journal.record(step{kind: dropNode, node: n.Node, position: position})
	s.Topology.relabel(n.Slot, n.Node.Labels, nil, s.Owner)
	s.writeOrder()
	s.Order = slices.Delete(slices.Clone(s.Order), position, position+1) // a loop may be going over it
	s.replaceNode(n, nil)
	s.Cache.forget()
	s.attached.followNode(n, was, s.Owner)
	s.release(n)
}
