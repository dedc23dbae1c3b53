package engine

import "github.com/outrank-go/outrank/preemption/engine/internal/state"

// The errors of the engine.
var (
	// ErrMark: the mark was used up, or is another snapshot's.
	ErrMark = state.ErrMark
	// ErrStale: what a plan says of the cluster is no longer so.
	ErrStale = state.ErrStale
	// ErrUnsound: what a plan does is not allowed, or does not make room.
	ErrUnsound = state.ErrUnsound
)
