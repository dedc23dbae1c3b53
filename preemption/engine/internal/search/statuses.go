package search

import (
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// givenStatuses are the statuses that the caller gave, none if any is not set: how they are asked for,
// and by position once they are.
type givenStatuses struct {
	any  bool
	from dryrun.StatusesOf
	list []preemption.Status
}

// release drops what belongs to the caller.
func (x *givenStatuses) release() {
	clear(x.list)
	x.any, x.from, x.list = false, nil, x.list[:0]
}

// givenAnswer is what a worker knows of answers that stand for given statuses: the answer of the last
// status.
type givenAnswer struct {
	last   preemption.Status
	answer answer
}

// sameStatus reports whether two statuses are equal, mostly without a look at texts.
func sameStatus(a, b *preemption.Status) bool {
	return a.Code == b.Code && a.Filter == b.Filter && a.ExcludedBy == b.ExcludedBy && sameTexts(a.Reasons, b.Reasons)
}

// sameTexts is slices.Equal, and mostly does not look at the texts.
func sameTexts(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}
