package execution

import "github.com/outrank-go/outrank"

// Verdict says what a failure means for the pod, or the group, and what was done about it. It belongs
// to the caller.
type Verdict struct {
	// Err is an error that is not about the pod. It is nil if the pod was turned down: by every
	// node, for lack of nodes, or by a step that refused its node. In v1.13 the lack of nodes is an error.
	Err error
	// Preemptions counts how often preemption was asked to make room for the pod (rule 14.5.1).
	Preemptions int
	// Filters names the filters that turned nodes down, or that kept nodes from being filtered at all, sorted
	// by name. Only events that concern one of them can help the pod. With Failure.Pending all of them are
	// pending: an event that may help one lets the pod be tried at once.
	Filters []string
	// Nomination is the change of the pod's nomination, zero for a group.
	Nomination Nomination
	// Resize says that the pod is on its node and waits for room for its resize. Such a failure is not
	// published: Nomination changes nothing, and Event and Condition are zero (rule 7.19.10).
	Resize bool
	// Event is FailedScheduling with the message cut to 1024 bytes, zero for a group.
	Event outrank.Event
	// Condition is PodScheduled=False with the whole message. For a group it is the condition of the group.
	Condition outrank.PodCondition

	// Pod is the version of the pod that the steps were taken with: the latest version, or the entry's if none
	// was fetched. It is nil for a group.
	Pod *outrank.Pod
	// Result is Requeued for a pod that goes back to the queue. Gone, Bound or Replaced is the reason why
	// a pod does not. Result is empty until Executor.Fail has dealt with the failure, and for a group.
	Result Result
	// Members are the verdicts about the members of a group, in the order of the entry. It is nil for a pod.
	Members []Verdict

	// kind is the reason of the failure, said its message and variant that of its plan, for LogRecords.
	kind    failureKind
	said    string
	variant outrank.Variant
	// before is the pod of the entry, nil if the failure is not logged.
	before *outrank.Pod
}
