package search

import (
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// givenStatuses are the statuses that the caller gives for the nodes as things are.
type givenStatuses struct {
	// any is set if the caller gives statuses. The other fields are empty otherwise.
	any bool
	// from asks the caller for the status of a node.
	from dryrun.StatusesOf
	// list has all statuses by position. It is empty until they are read (see readGiven).
	list []preemption.Status
}

// release drops what belongs to the caller.
func (x *givenStatuses) release() {
	clear(x.list)
	x.any, x.from, x.list = false, nil, x.list[:0]
}

// givenAnswer is the answer that stands for the status which the caller gave last, or 0. Mostly the next
// status is the same.
type givenAnswer struct {
	last   preemption.Status
	answer answer
}

// sameStatus reports whether two statuses are equal. Mostly it does not read their texts.
func sameStatus(a, b *preemption.Status) bool {
	return a.Code == b.Code && a.Filter == b.Filter && a.ExcludedBy == b.ExcludedBy && sameTexts(a.Reasons, b.Reasons)
}

// sameTexts is slices.Equal. It does not read lists that lie in the same memory.
func sameTexts(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}
