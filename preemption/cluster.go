package preemption

import "github.com/outrank-go/outrank"

// ClusterState is what a filter knows of a whole cluster, whichever pod looks for a
// place. A snapshot that it is attached to tells it of every change
// (preemption.Snapshot.Attach).
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
	// preemption.Snapshot.Clone, on either side. The two may share what neither writes.
	Clone() ClusterState
}
