package search

import (
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// givenStatuses has the statuses that the caller gives for the nodes in place of the filters' answers.
type givenStatuses struct {
	// any is set if the caller gives statuses. The other fields are empty otherwise.
	any bool
	// from returns the caller's status for a node.
	from dryrun.StatusesOf
	// list has all statuses by position. It is empty until they are read (see readGiven).
	list []preemption.Status
}

// release drops all references to the caller's data.
func (x *givenStatuses) release() {
	clear(x.list)
	x.any, x.from, x.list = false, nil, x.list[:0]
}

// givenAnswer remembers the answer for the last status that the caller gave, because the next is mostly the
// same. answer is 0 if there was none yet.
type givenAnswer struct {
	last   preemption.Status
	answer answer
}

// sameStatus reports whether two statuses are equal. It mostly need not read their texts.
func sameStatus(a, b *preemption.Status) bool {
	return a.Code == b.Code && a.Filter == b.Filter && a.ExcludedBy == b.ExcludedBy && sameTexts(a.Reasons, b.Reasons)
}

// sameTexts is slices.Equal, but does not read lists that share memory.
func sameTexts(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}
