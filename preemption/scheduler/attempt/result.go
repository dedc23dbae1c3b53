package attempt

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Outcome says how an attempt ended.
type Outcome string

// The outcomes of an attempt. The empty Outcome belongs to a Result that no attempt has filled in.
const (
	// Idle: the queue had no pod to try.
	Idle Outcome = "idle"
	// Bound: the pod is on its node. For a group, as many pods as the group needs are on theirs.
	Bound Outcome = "bound"
	// Preempting: a plan was executed. The pod or group is back in the queue and waits until its
	// victims are gone.
	Preempting Outcome = "preempting"
	// Waiting: the pod or group is back in the queue, and no plan was executed.
	Waiting Outcome = "waiting"
	// Dropped: the pod left the queue, because it needs no node any more. It is gone, bound by somebody
	// else, or being deleted.
	Dropped Outcome = "dropped"
)

// Result says what became of an attempt. It belongs to the caller.
type Result struct {
	// Entry is the entry that was popped.
	Entry   queue.Entry
	Outcome Outcome
	// Node is the node that the pod is bound to, or on which room is made for it. It is empty otherwise.
	Node string
	// Nodes are the nodes that take the pod as things are, in the cluster's order.
	Nodes []*outrank.Node
	// Plan says who has to leave, or why nobody does: a *preemption.Plan, or a *preemption.GroupPlan for
	// a group. It is nil if there are Nodes. Both may be nil if deciding failed.
	Plan preemption.Decision
	// Report says how the plan was executed. It is nil if no plan was.
	Report *execution.Report
	// Failure says what was done about a pod without a node. It is nil for a pod that is Bound, and for a
	// group.
	Failure *execution.Verdict
	// Members are the results of the pods of a group: first the pods that were bound, in the
	// order of the placement, and then the others in the order of the entry.
	Members []Result
	// Err is the error of a decision, a binding or the execution of a plan that failed. The pod was
	// put back because of it.
	Err error
}
