package preemption

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

type (
	// Snapshot is the indexed state of a cluster.
	Snapshot = state.Snapshot
	// Mark is a point to which the changes of a snapshot can be taken back.
	Mark = state.Mark
)

// NewSnapshot indexes a cluster. It keeps the cluster's objects, not its
// slices. The error is that of [outrank.Cluster.Validate], with every problem
// at once. Finished pods are left out. Pods on a node that does not exist count
// nowhere until the node is added. Time is that of sorting each node's pods.
func NewSnapshot(c *outrank.Cluster) (*Snapshot, error) { return state.New(c, state.UsualTraits) }
