package preemption

import (
	"iter"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// View is a cluster as filters and guards of the caller see it: it is only read. The same filter runs over
// plain types and in the engine, whose Snapshot is a View.
//
// It shows the running pods as they are when an attempt begins, and is valid until the attempt
// ends. Any number of goroutines may read it at once.
type View interface {
	// Release returns the release whose rules hold.
	Release() outrank.Release
	// Nodes goes through the nodes in the cluster's order.
	Nodes() iter.Seq[*outrank.Node]
	// Node finds a node by its name.
	Node(name string) (node *outrank.Node, ok bool)
	// PodsOn lists the running pods on a node, the most important first. A missing start counts as later
	// than any (group 4.3). The slice is the caller's.
	PodsOn(node string) []*outrank.Pod
	// Nominated goes through the pending pods that are nominated to a node of the cluster, each with its
	// node: node by node, the most important pod of each first.
	Nominated() iter.Seq2[*outrank.Pod, string]
	// Used returns how much of a resource the running pods on a node take: millicores of cpu, units of
	// others, their number under "pods". It stops at the largest int64.
	Used(node string, name resource.Name) int64
	// LeavesWith returns the group, or the composite group, that leaves whole with this pod (rules 12.6.3
	// and 12.6.4). Both are nil for a pod that leaves by itself or does not run.
	LeavesWith(pod *outrank.Pod) (*outrank.PodGroup, *outrank.CompositePodGroup)
	// Tracked returns the state of a tracker for the running pods, which must only be read. The engine keeps
	// it from the first call on. It is nil for a nil tracker, and if New is nil or returns nil.
	Tracked(t *Tracker) ClusterState
}

// Tracker counts something in a cluster that does not depend on the preemptor. A tracker is known by its
// address, as a [Filter] is: filters that share its state share the pointer.
type Tracker struct {
	// Concerns reports whether a pod counts in the state; nil means that all pods do. For one pod it always
	// returns the same. Several goroutines may call it at once.
	Concerns func(pod *outrank.Pod) bool
	// New returns the state of a cluster without pods.
	New func() ClusterState
}

// Follower follows the pods of a cluster as they come and go.
type Follower interface {
	// Add counts a pod that is on the node from now on, or nominated to it. A nominated pod has an empty
	// NodeName.
	Add(pod *outrank.Pod, node *outrank.Node)
	// Remove takes back what Add did for the pod, whatever else was added or removed in between.
	Remove(pod *outrank.Pod, node *outrank.Node)
}

// ClusterState is the state of a tracker: what it has counted of the running pods. Any number of
// goroutines may read it at once. It changes only while none does.
type ClusterState interface {
	Follower
	// Clone returns an independent copy, and changes nothing.
	Clone() ClusterState
}
