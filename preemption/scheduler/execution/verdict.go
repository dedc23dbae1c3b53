package execution

import "github.com/outrank-go/outrank"

// Verdict says what a failure means for the pod, or the group, and what was done about it. It belongs
// to the caller.
type Verdict struct {
	// Err is the error that the pod has nothing to do with. It is nil for a pod that was
	// turned down: by every node, for lack of nodes, or by a step that refused its node.
	Err error
	// Preemptions is the number of times that preemption was asked to make room (rule 14.5.1).
	Preemptions int
	// Filters has the names of the filters that turned nodes down, or because of which nodes were
	// not filtered at all, sorted by name. Only events that concern one of them can help the pod.
	// With Failure.Pending all of them are pending: an event that may help one has
	// the pod tried at once.
	Filters []string
	// Nomination is the change of the pod's nomination, zero for a group.
	Nomination Nomination
	// Resize says that the pod is on its node and waits for room for its resize.
	// Nothing is made known of such a failure: Nomination changes nothing, and
	// Event and Condition are zero (rule 7.19.10).
	Resize bool
	// Event is FailedScheduling with the message cut to 1024 bytes, zero for a group.
	Event outrank.Event
	// Condition is PodScheduled=False with the whole message. A group has the condition of its own.
	Condition outrank.PodCondition

	// Pod is the version of the pod with which all steps were taken: the latest
	// version, or the entry's if none was fetched. It is nil for a group.
	Pod *outrank.Pod
	// Result is Requeued for a pod that goes back to the queue. Otherwise it is the reason why the pod
	// does not: Gone, Bound or Replaced. It is empty until Executor.Fail has dealt with the failure, and
	// for a group.
	Result Result
	// Members are the verdicts on the members of a group, in their order, nil for a pod.
	Members []Verdict

	// kind and said are the reason and the message for the log.
	kind failureKind
	said string
	// before is the pod of the entry, nil if the failure is not logged.
	before *outrank.Pod
}
