package preemption

import (
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption/decision"
)

// filterStatus is a Status without its texts. The zero value is Success.
type filterStatus struct {
	code decision.Code
	// excluded is set where filter names the one because of which the node was
	// not filtered.
	excluded bool
	by       int // place of the filter, byNone for none
	// short are the needs that are not met, by bit, and tooMany whether the
	// pod count is one of them; set by NodeResourcesFit alone.
	short   uint64
	tooMany bool
	// text are the reasons where they are known from the start, and filter the
	// name of one that is not known by its place.
	text   []string
	filter string
}

// byNone stands for no filter. Other filters are known by their index in the
// list of filters.
const byNone = -1

// byGuard stands for the caller's guard.
const byGuard = -2

// Reasons that belong to no filter.
var (
	noVictimsText = []string{"No preemption victims found for incoming pod"}
	droppedText   = []string{prose.Dropped}
)

const (
	reasonNoStatus    = "the node was not filtered"
	reasonContradicts = "expected at least one victim pod on node"
)
