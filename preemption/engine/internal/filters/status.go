package filters

import (
	"github.com/outrank-go/outrank/internal/prose"
)

// Status is a Status without its texts. The zero value is Success.
type Status struct {
	Code Code
	// Excluded is set where filter names the one because of which the node was
	// not filtered.
	Excluded bool
	By       int // place of the filter, ByNone for none
	// Short are the needs that are not met, by bit, and TooMany whether the
	// pod count is one of them; set by NodeResourcesFit alone.
	Short   uint64
	TooMany bool
	// Text are the reasons where they are known from the start, and filter the
	// name of one that is not known by its place.
	Text   []string
	Filter string
}

// ByNone stands for no filter. Other filters are known by their index in the
// list of filters.
const ByNone = -1

// ByGuard stands for the caller's guard.
const ByGuard = -2

// NoVictims is the status of a node without a pod that may leave.
var NoVictims = Status{
	Code: UnschedulableAndUnresolvable, By: ByNone,
	Text: []string{"No preemption victims found for incoming pod"},
}

// DroppedText is the reason of a node that an extender dropped. It belongs to no filter.
var DroppedText = []string{prose.Dropped}

// Texts of reasons that belong to no filter.
const (
	ReasonNoStatus    = "the node was not filtered"
	ReasonContradicts = "expected at least one victim pod on node"
)
