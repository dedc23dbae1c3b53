package filters

import (
	"github.com/outrank-go/outrank/internal/prose"
)

// Status is the answer of a filter or of a node in the engine's own form: it names the filter by its index,
// and mostly leaves the reasons to be made later. The zero value is Success.
type Status struct {
	Code Code
	// Excluded is set if the node was not filtered, because the filter named in Filter left it out.
	Excluded bool
	// By is the index of the filter that failed, or ByNone or ByGuard.
	By int
	// Short has a bit for each need that is not met, by index in Question.Needs, and TooMany is set if the
	// node has no place for another pod. Only NodeResourcesFit sets them.
	Short   uint64
	TooMany bool
	// Text has the reasons, unless they follow from Short and TooMany.
	Text []string
	// Filter is the name of the filter if By does not identify it.
	Filter string
}

// ByNone is the index in By of a status that no filter gave.
const ByNone = -1

// ByGuard is the index in By of a status that the caller's guard gave.
const ByGuard = -2

// NoVictims is the status of a node on which no pod may leave.
var NoVictims = Status{
	Code: UnschedulableAndUnresolvable, By: ByNone,
	Text: []string{"No preemption victims found for incoming pod"},
}

// DroppedText is the reason of a node that an extender dropped. The status has no filter.
var DroppedText = []string{prose.Dropped}

// Reasons of statuses that no filter gave.
const (
	ReasonNoStatus    = "the node was not filtered"
	ReasonContradicts = "expected at least one victim pod on node"
)
