package engine

import "github.com/outrank-go/outrank/preemption/engine/internal/state"

// Errors of snapshots and of Verify, to be tested for with errors.Is.
var (
	// ErrMark says that a mark has been used up, or belongs to another snapshot.
	ErrMark = state.ErrMark
	// ErrStale says that the cluster has changed in such a way that a plan can no longer be carried out.
	ErrStale = state.ErrStale
	// ErrUnsound says that the rules do not allow what a plan does, or that the plan does not make room.
	ErrUnsound = state.ErrUnsound
)
