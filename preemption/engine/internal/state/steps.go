package state

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// Put adds a pod that is not in the snapshot.
//
// In this and every other change the caller's filters and trackers are informed last. If one of them panics,
// the snapshot is still consistent, and Undo reverts the change.
func (s *Snapshot) Put(p *PodState) {
	s.PodStates.set(p)
	n := s.enter(p)
	s.join(p)
	s.announce(n, p)
}

// enter adds a pod to the node that it runs on or is nominated to, and returns the state of that node, nil if
// there is none.
func (s *Snapshot) enter(p *PodState) *NodeState {
	if p.At == nil {
		return nil
	}
	n := s.writable(p.At.Name)
	s.enterNode(n, p)
	return n
}

// enterNode adds a pod to a node, as running or as nominated.
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

// announce completes the putting of a pod that its node and its class already count: it counts the pod's
// claims, records the change, and informs the caller's filters and trackers. n is nil for a pod without a
// node.
func (s *Snapshot) announce(n *NodeState, p *PodState) {
	s.useClaims(p, 1)
	s.note(putPod, p)
	if p.Running {
		s.tellAttached(n, p, 1)
	}
}

// tellAttached informs the caller's filters and trackers of a running pod that was put (by is 1) or dropped
// (-1).
func (s *Snapshot) tellAttached(n *NodeState, p *PodState, by int) {
	s.attached.follow(n, p, by, s.Owner)
	s.trial.follow(p, n.Node, by)
}

// note records for Undo and for the follower that a pod was put or dropped.
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

	// The caller's filters and trackers hear of it once the pod is counted nowhere.
	if p.Running {
		s.tellAttached(n, p, -1)
	}
	s.release(n)
}

// changeNode replaces the object of a node by another version. The node keeps its place in the order.
func (s *Snapshot) changeNode(slot int32, obj *outrank.Node) {
	n := s.writable(s.NodeStates[slot].Name)
	was := n.Node
	s.Journal.record(step{kind: changeNode, node: was})
	s.Topology.relabel(slot, was.Labels, obj.Labels, s.Owner)
	s.replaceNode(n, obj)
	s.attached.followNode(n, was, s.Owner)
}

// replaceNode replaces the object of a node; nil stands for no node. It updates everything that depends on
// the object, except the order, the topology, and the caller's filters and trackers.
func (s *Snapshot) replaceNode(n *NodeState, obj *outrank.Node) {
	joins, leaves := n.Node == nil && obj != nil, n.Node != nil && obj == nil

	// Units count only pods on nodes that exist (rule 12.6.7). So pods leave their units before the node
	// goes, and join them after it has come.
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

	// The cache keeps answers by position, which are no longer right. A loop over the nodes may be running
	// and must go on over the old list: appending leaves that as it is, and inserting elsewhere is done in a
	// copy.
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

	// A loop over the nodes may be running and must go on over the old list (see setNode).
	s.writeOrder()
	s.Order = slices.Delete(slices.Clone(s.Order), position, position+1)
	s.replaceNode(n, nil)
	s.Cache.forget()

	s.attached.followNode(n, was, s.Owner)
	s.release(n)
}
