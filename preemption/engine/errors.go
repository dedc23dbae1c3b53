package engine

import "github.com/outrank-go/outrank/preemption/engine/internal/state"

// The errors of the engine.
var (
	// ErrMark says that a mark was used up, or is another snapshot's.
	ErrMark = state.ErrMark
	// ErrStale says that a plan no longer agrees with the cluster.
	ErrStale = state.ErrStale
	// ErrUnsound says that the cluster or the rules do not allow what a plan does, or that it does not make
	// room.
	ErrUnsound = state.ErrUnsound
)
