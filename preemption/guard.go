package preemption

import (
	"github.com/outrank-go/outrank"
)

// GuardState is what a guard knows during one attempt. It begins with nobody away. What
// is called how often, in a decision with P possible victims on a node:
//
//   - Clone once for each of Config.Workers, on the goroutine that called the evaluator.
//   - Remove at most 3 P times for a node, Add and Check at most 3 P times; for the best
//     one as often again, and Rule once for each victim. Everybody who was removed is added
//     again before the next node, so that a state may keep counts for the whole cluster.
//   - For a group, with P possible victims in the cluster, Clone once, and the others at most
//     2 P times in each round. There are rounds as long as one lets somebody go, and later as
//     long as one puts somebody back (rules 13.6.8 and 13.6.9): two or three of each mostly.
//
// Each clone belongs to one worker, whose goroutine alone calls it; the state that Start
// returned is only cloned. Nothing is called after the evaluator's call has returned. The
// answers must depend on who is away alone, not on the order in which they left.
// filtertest.CheckGuard looks whether a guard keeps to that.
type GuardState interface {
	// Remove follows a pod that leaves the node. Add follows its return: it was removed
	// before. Where victims are units (rule 12.8.2), the node may be another one than that
	// on which room is made, and Check is asked once all pods of a unit have been told of.
	Remove(victim *outrank.Pod, node *outrank.Node)
	// Add puts a pod back that was removed before.
	Add(victim *outrank.Pod, node *outrank.Node)
	// Check returns whether all that are away may be away together. It must allow that
	// nobody is. A code other than Success means no, and Reasons say why; the rest of the
	// status is filled in.
	Check() Status
	// Rule names the rule by which a pod that is away may be, beside the others that are;
	// empty for the one that preemption.Config.MayTake names. It is asked about victims alone,
	// of a group's victims about the most important pod of each unit.
	Rule(victim *outrank.Pod) string
	// Clone returns an independent copy.
	Clone() GuardState
}
