package preemption

import (
	"github.com/outrank-go/outrank"
)

// FilterState is a filter's view of the cluster during one attempt. It starts
// with the state of the snapshot and follows the pods that the attempt removes
// and adds. What is called how often, in a decision with P possible victims on a node:
//
//   - Clone once for each of Config.Workers, on the goroutine that called the
//     evaluator, and once more for each Check where nominated pods that concern the
//     filter count on the node: these are added to that copy, which is then dropped.
//   - Check at most P + 3 times for a node, and P + 1 times more for the best one: as the
//     node is, with all possible victims away, and with each of them put back. For a
//     preemption.SelectiveFilter only where a pod that concerns it came or went since.
//   - Remove at most 3 P times for a node, and 2 P times more for the best one. Add as
//     often: whoever is removed is added again before the next node, but for the victims
//     on the best one at the very end.
//
// Each clone belongs to one worker, whose goroutine alone calls it; the state that
// Start returned is only cloned. Nothing is called after the evaluator's call has
// returned. Package filtertest checks that a filter keeps to all that.
//
// A state may have one more method, Refused() Status, by which the filter refuses the pod
// before any node is asked, as PreFilter plugins do. It is asked once, of the state that
// Start returned. Anything but Success ends the attempt, as UnschedulableAndUnresolvable:
// every node has that status ([Plan].Refused; rule 7.15.10). Check has to return it as well,
// for callers that bring the statuses of nodes along.
type FilterState interface {
	// Check returns whether the pod may run on the node in the present state.
	// Code and Reasons of the status count; its Filter is filled in. Contradiction says that
	// the filter failed: preemption ends in that error where there is no candidate (rule
	// 8.12). Any code but Success and Unschedulable is otherwise as good as
	// UnschedulableAndUnresolvable.
	Check(node *outrank.Node) Status
	// Remove follows the removal of a pod from the node. Add follows its
	// addition: the pod was removed before, or is nominated to the node. Where victims
	// are units (rule 12.8.2), the node may be another one than that which is asked.
	Remove(pod *outrank.Pod, node *outrank.Node)
	// Add puts a pod on the node: one that was removed before, or one that is
	// nominated to the node and runs nowhere. A nominated pod's NodeName is empty.
	Add(pod *outrank.Pod, node *outrank.Node)
	// Clone returns an independent copy.
	Clone() FilterState
}
