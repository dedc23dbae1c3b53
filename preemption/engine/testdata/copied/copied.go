// Package copied copies a snapshot, which go vet refuses.
package copied

import (
	"github.com/outrank-go/outrank/preemption/engine"
)

// Copy returns a copy that shares what it writes with its origin.
func Copy(s *engine.Snapshot) engine.Snapshot { return *s }
