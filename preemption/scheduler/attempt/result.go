package attempt

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Outcome says how an attempt ended.
type Outcome string

// The outcomes. It is empty in the result of an attempt that nobody made.
const (
	// Idle: no pod was to be tried.
	Idle Outcome = "idle"
	// Bound: the pod is on its node, and of a group as many pods as it takes.
	Bound Outcome = "bound"
	// Preempting: a plan was carried out, and the pod, or the group, is back in the queue and
	// waits for the room.
	Preempting Outcome = "preempting"
	// Waiting: the pod, or the group, is back in the queue without that.
	Waiting Outcome = "waiting"
	// Dropped: the pod needs no node any more. It is gone, bound by somebody else, or being
	// deleted.
	Dropped Outcome = "dropped"
)

// Result says what became of an attempt. It belongs to the caller.
type Result struct {
	// Entry is the entry that was popped.
	Entry   queue.Entry
	Outcome Outcome
	// Node is the node that the pod is Bound to, or on which room is made for it.
	Node string
	// Nodes are the nodes that take the pod as things are, in the cluster's order.
	Nodes []*outrank.Node
	// Plan says who has to leave, or why nobody does: a *preemption.Plan, or the *preemption.GroupPlan of
	// a group. It is nil if there are Nodes. If deciding failed both may be nil.
	Plan preemption.Decision
	// Report says how a plan was carried out; nil if none was.
	Report *execution.Report
	// Failure says what was done about a pod without a node. It is nil for a pod that is Bound, and for a
	// group.
	Failure *execution.Verdict
	// Members are the results of the pods of a group: first those that were bound, in the
	// order of the placement, and then the others in the order of the entry.
	Members []Result
	// Err is an error that was dealt with by the rules: a decision, a binding or the
	// execution of a plan that failed.
	Err error
}
