package state

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// NamedFilter is any filter.
type NamedFilter interface{ Name() string }

// attachedFilter is a filter whose state a snapshot keeps.
type attachedFilter struct {
	filter   NamedFilter
	concerns func(*outrank.Pod) bool
	state    preemption.ClusterState
	// owner may change state; any other snapshot copies it first.
	owner *Owner
}

// attachments are the filters that are attached to a snapshot. o is the owner of what
// the snapshot may change.
type attachments []attachedFilter

// writableState returns the state of an attachment for writing.
func (as attachments) writableState(i int, o *Owner) preemption.ClusterState {
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

func tell(state preemption.ClusterState, p *PodState, node *outrank.Node, by int) {
	if by > 0 {
		state.Add(p.Pod, node)
	} else {
		state.Remove(p.Pod, node)
	}
}
