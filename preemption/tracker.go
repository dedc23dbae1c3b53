package preemption

import "github.com/outrank-go/outrank"

// Tracker says what is to be kept track of in a cluster, whichever pod looks for a place. It is
// known by its address, as a [Filter] is: who shares its state shares the pointer.
type Tracker struct {
	// Concerns reports whether a pod has a part in the state; nil: all have. It always says the
	// same of the same pod. Several goroutines may call it at once.
	Concerns func(pod *outrank.Pod) bool
	// New returns the state of a cluster without pods.
	New func() ClusterState
}

// Follower follows the pods of a cluster as they come and go.
type Follower interface {
	// Add follows a pod that is on the node from now on, or nominated to it: its NodeName is
	// empty then.
	Add(pod *outrank.Pod, node *outrank.Node)
	// Remove takes back what Add did, whatever came between.
	Remove(pod *outrank.Pod, node *outrank.Node)
}

// ClusterState is what a tracker knows of the running pods. Any number of goroutines may read it
// at once; it changes while nobody does.
type ClusterState interface {
	Follower
	// Clone returns an independent copy. It only reads what it copies.
	Clone() ClusterState
}
