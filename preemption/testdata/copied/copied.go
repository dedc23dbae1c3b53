// Package copied copies a snapshot, which go vet refuses.
package copied

import "github.com/outrank-go/outrank/preemption"

// Copy returns a copy that shares what it writes with its origin.
func Copy(s *preemption.Snapshot) preemption.Snapshot { return *s }
