package execution

import (
	"context"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Actions are the functions of the caller through which an [Executor] reaches the cluster. A nil function
// does nothing, but Evict is needed to execute plans, and Bind to bind. An error that wraps
// [preemption.ErrNotFound] says that the pod is gone, which counts as success. Several goroutines
// may call all functions at once. The functions must not change the pods that they are given.
//
// Most of them are the PodPreemptor of the scheduler of v1.13; waiting pods, events and the queue came with the
// scheduling framework.
type Actions struct {
	// Latest returns the pod as it is now. If Latest is nil, pods count as unchanged.
	Latest func(ctx context.Context, pod *outrank.Pod) (*outrank.Pod, error)
	// Reject refuses a victim that has a node but still waits to be bound (Permit), and reports whether the
	// victim did wait. A victim that does not wait is evicted.
	Reject func(ctx context.Context, victim *outrank.Pod) (bool, error)
	// Evict sets the condition on a victim and then deletes it.
	Evict func(ctx context.Context, e Eviction) error
	// Nominate sets the pod's NominatedNodeName: room is being made for it on the node.
	Nominate func(ctx context.Context, pod *outrank.Pod, node string) error
	// ClearNomination empties the pod's NominatedNodeName and lets the pod be tried again at once, like
	// Queue.Activate.
	ClearNomination func(ctx context.Context, pod *outrank.Pod) error
	// Activate lets the preemptor be tried again at once, like Queue.Activate, because no event will tell
	// it when to.
	Activate func(pod *outrank.Pod)
	// Event posts an event about a pod.
	Event func(e outrank.Event)
	// UpdateStatus sets a condition of a pod that was not placed, and changes its nomination, in one patch.
	UpdateStatus func(ctx context.Context, pod *outrank.Pod, condition outrank.PodCondition, nomination Nomination) error
	// UpdateGroupStatus sets a condition of a group of pods (PodGroupInitiallyScheduled) or of a composite
	// group (CompositePodGroupInitiallyScheduled). A condition that is True already must stay as it is.
	UpdateGroupStatus func(ctx context.Context, group outrank.Key, condition outrank.PodCondition) error
	// Bind puts a pod on a node.
	Bind func(ctx context.Context, pod *outrank.Pod, node string) error
}

// complete replaces missing functions by functions that do nothing. Evict and Bind stay missing.
func (a *Actions) complete() {
	if a.Latest == nil {
		a.Latest = func(_ context.Context, pod *outrank.Pod) (*outrank.Pod, error) { return pod, nil }
	}
	if a.Reject == nil {
		a.Reject = func(context.Context, *outrank.Pod) (bool, error) { return false, nil }
	}
	if a.Nominate == nil {
		a.Nominate = func(context.Context, *outrank.Pod, string) error { return nil }
	}
	if a.ClearNomination == nil {
		a.ClearNomination = func(context.Context, *outrank.Pod) error { return nil }
	}
	if a.Activate == nil {
		a.Activate = func(*outrank.Pod) {}
	}
	if a.Event == nil {
		a.Event = func(outrank.Event) {}
	}
	if a.UpdateStatus == nil {
		a.UpdateStatus = func(context.Context, *outrank.Pod, outrank.PodCondition, Nomination) error { return nil }
	}
	if a.UpdateGroupStatus == nil {
		a.UpdateGroupStatus = func(context.Context, outrank.Key, outrank.PodCondition) error { return nil }
	}
}

// Eviction is the request to evict a victim.
type Eviction struct {
	// Victim is the pod of the plan. If it has a UID, a later pod with the same name is another pod and must
	// not be deleted.
	Victim *outrank.Pod
	// Condition is to be set before the victim is deleted. It tells a scheduler that the pod terminates
	// because of a preemption (rule 8.4). Its type is empty if no condition is to be set, as in the
	// variants (rules 13.2.13 and 13.3.14).
	Condition outrank.PodCondition
	// Grace is how long the victim may take to terminate. Nil means the pod's own
	// outrank.Pod.GracePeriod (rule 14.1.7).
	Grace *time.Duration
	// Preemptor is the pod for which the room is made. For a group it is the first pod that still waits.
	Preemptor *outrank.Pod
	// Node is the name of the node on which room is made, "cluster" for a group.
	Node string
	// Group is the preemptor if it is a group, else nil.
	Group *queue.Group
}
