package preemption

import (
	"iter"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// View is a cluster that is only read: what filters and guards of the caller are given. The
// same filter runs over plain types and in the engine, whose Snapshot is a View.
//
// It shows the running pods as they are when an attempt begins, and is valid until the attempt
// ends. Any number of goroutines may read it at once.
type View interface {
	// Release says whose rules hold.
	Release() outrank.Release
	// Nodes goes through the nodes in the cluster's order. Node finds one by name.
	Nodes() iter.Seq[*outrank.Node]
	Node(name string) (node *outrank.Node, ok bool)
	// PodsOn lists the pods on a node by importance, a missing start counting as later than
	// any (group 4.3). The slice is the caller's.
	PodsOn(node string) []*outrank.Pod
	// Nominated goes through the pending pods nominated to nodes that are there, each with its
	// node, node by node and by importance.
	Nominated() iter.Seq2[*outrank.Pod, string]
	// Used returns what the pods on a node take of a resource: millicores of cpu, units of
	// others, their number under "pods". It stops at the largest int64.
	Used(node string, name resource.Name) int64
	// LeavesWith returns the group, or the composite group, whose running pods all leave
	// together with this one; nil for both where it leaves by itself (rules 12.6.3 and 12.6.4)
	// or does not run.
	LeavesWith(pod *outrank.Pod) (*outrank.PodGroup, *outrank.CompositePodGroup)
	// Tracked returns the state of a tracker for the running pods, only to be read. The engine
	// keeps it from the first call on. It is nil for no tracker, and for one without a state.
	Tracked(t *Tracker) ClusterState
}

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
