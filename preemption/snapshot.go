package preemption

import "github.com/outrank-go/outrank/preemption/internal/state"

type (
	// Snapshot is the indexed state of a cluster.
	Snapshot = state.Snapshot
	// Mark is a point to which the changes of a snapshot can be taken back.
	Mark = state.Mark
	// ClusterState is what a filter knows of a whole cluster, whichever pod looks for a place.
	ClusterState = state.ClusterState
)
