package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// ClusterState is what a filter knows of a whole cluster, whichever pod looks for a
// place. A snapshot that it is attached to tells it of every change
// ([Snapshot.Attach]).
//
// Calls of Add and Remove come one at a time, while nobody reads the state. Any number
// of goroutines may read it at once, and Clone is such a reader: it must not change
// what it copies.
type ClusterState interface {
	// Add follows a pod that runs on the node from now on, Remove one that did. A node
	// that is updated is told as the removal of all its pods from the old object and
	// their addition to the new one; a node that leaves the cluster as their removal.
	Add(pod *outrank.Pod, node *outrank.Node)
	Remove(pod *outrank.Pod, node *outrank.Node)
	// Clone returns an independent copy. It is called at the first change after
	// [Snapshot.Clone], on either side. The two may share what neither writes.
	Clone() ClusterState
}

// attachedFilter is a filter whose state a snapshot keeps.
type attachedFilter struct {
	filter   any
	concerns func(*outrank.Pod) bool
	state    ClusterState
	// owner may change state; any other snapshot copies it first.
	owner *owner
}

// attachments are the filters that are attached to a snapshot. o is the owner of what
// the snapshot may change.
type attachments []attachedFilter

// writableState returns the state of an attachment for writing.
func (as attachments) writableState(i int, o *owner) ClusterState {
	a := &as[i]
	if a.owner != o {
		a.state, a.owner = a.state.Clone(), o
	}
	return a.state
}

// follow tells the states of a pod that was put on a node (1) or taken away (-1).
func (as attachments) follow(n *nodeState, p *podState, by int, o *owner) {
	for i := range as {
		if as[i].concerns(p.pod) && n.list(p, i, by) && n.node != nil {
			tell(as.writableState(i, o), p, n.node, by)
		}
	}
}

// misjudge reports whether a filter has another opinion of whether a pod on the node
// concerns it than when the pod came.
func (as attachments) misjudge(n *nodeState, p *podState) bool {
	for i := range as {
		if as[i].concerns(p.pod) != slices.Contains(n.concerning(i), p) {
			return true
		}
	}
	return false
}

// followNode tells the states of all pods of a node, which has taken the place of
// another version of it; nil stands for none.
func (as attachments) followNode(n *nodeState, was *outrank.Node, o *owner) {
	for i, pods := range n.attached {
		if was != nil {
			for _, p := range pods {
				tell(as.writableState(i, o), p, was, -1)
			}
		}
		if n.node != nil {
			for _, p := range pods {
				tell(as.writableState(i, o), p, n.node, 1)
			}
		}
	}
}

func tell(state ClusterState, p *podState, node *outrank.Node, by int) {
	if by > 0 {
		state.Add(p.pod, node)
	} else {
		state.Remove(p.pod, node)
	}
}
