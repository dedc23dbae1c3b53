package execution

import "github.com/outrank-go/outrank"

// Verdict says what a failure means for the pod, or the group, and what was done about it. It belongs
// to the caller.
type Verdict struct {
	// Err is what went wrong, where the pod has nothing to do with it. It is nil for a pod that was
	// turned down: by every node, for lack of nodes, or by a step that refused its node.
	Err error
	// Preemptions is how often preemption was asked to make room (rule 14.5.1).
	Preemptions int
	// Filters are the names of the filters that turned nodes down, or because of which nodes were
	// not filtered at all, sorted by name. Only events that concern one of them can help the pod.
	// All of them are pending where the failure is Failure.Pending: an event that may help one has
	// the pod tried at once.
	Filters []string
	// Nomination says whether the pod's nomination is kept, set or dropped.
	Nomination Nomination
	// Resize is set where the pod is on its node and waits for room for its resize:
	// nothing is made known of its failures, so that Nomination changes nothing, and
	// Event and Condition are zero (rule 7.19.10).
	Resize bool
	// Event is FailedScheduling with the message cut to 1024 bytes, Condition
	// PodScheduled=False with the whole message. A group has the condition of its own.
	Event     outrank.Event
	Condition outrank.PodCondition

	// Pod is the version of the pod that all steps were taken with: the latest
	// version where there is one. It is nil for a group.
	Pod *outrank.Pod
	// Result is Requeued for a pod that went back to the queue, or is to, and else why it did not:
	// Gone, Bound or Replaced. It is empty until Executor.Fail has dealt with the failure, and
	// for a group.
	Result Result
	// Members are the verdicts on the members of a group, in their order; the fields between Filters
	// and Event are theirs alone.
	Members []Verdict

	// kind and said are why the attempt failed, for the log; before is the pod of the entry, nil
	// for what is not logged.
	kind   failureKind
	said   string
	before *outrank.Pod
}
