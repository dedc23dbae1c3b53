package filters

import (
	"github.com/outrank-go/outrank/internal/prose"
)

// Status is the answer of a filter, or of a node, without its name and mostly without its texts. The zero
// value is Success.
type Status struct {
	Code Code
	// Excluded is set if the node was not filtered, because of the filter that Filter names.
	Excluded bool
	// By is the index of the filter, or one of ByNone and ByGuard.
	By int
	// Short has a bit for each need that is not met, and TooMany is set if the node has no place for
	// another pod. Only NodeResourcesFit sets them.
	Short   uint64
	TooMany bool
	// Text has the reasons, where they do not follow from Short and TooMany.
	Text []string
	// Filter is the name of a filter that has no index.
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
