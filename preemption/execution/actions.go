package execution

import (
	"context"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority/queue"
)

// Actions is how an [Executor] reaches the cluster; the caller implements it. An
// error that wraps [preemption.ErrNotFound] says that the pod is gone, which is
// as good as what was asked for. Several goroutines may call all methods at once.
// An implementation must not change the pods that it is shown.
//
// Most of it is the PodPreemptor of the scheduler of v1.13; waiting pods,
// events and the queue came with the scheduling framework.
type Actions interface {
	// Latest returns the pod as it is now.
	Latest(ctx context.Context, pod *outrank.Pod) (*outrank.Pod, error)
	// Reject refuses a victim that has a node but still waits to be bound
	// (Permit), and reports whether the victim did wait. A victim that does not
	// wait is evicted.
	Reject(ctx context.Context, victim *outrank.Pod) (bool, error)
	// Evict sets the condition on a victim and then deletes it.
	Evict(ctx context.Context, e Eviction) error
	// Nominate writes down on the pod that room is being made for it on the node.
	Nominate(ctx context.Context, pod *outrank.Pod, node string) error
	// ClearNomination removes the pod's nomination and lets the pod be tried
	// again at once: it goes to the active queue.
	ClearNomination(ctx context.Context, pod *outrank.Pod) error
	// Activate lets the pod be tried again at once, because waiting for its
	// victims is of no use any more.
	Activate(pod *outrank.Pod)
	// Event posts an event.
	Event(e outrank.Event)
}

// Eviction is the request to evict a victim.
type Eviction struct {
	// Victim is the very pod that was chosen. Where it has a UID, a later pod of
	// the same name is another pod and must not be deleted.
	Victim *outrank.Pod
	// Condition is set before the victim is deleted. A scheduler knows by it
	// that the pod terminates because of a preemption (rule 8.4). Without a type there
	// is none to be set, as in the variants (rules 13.2.13 and 13.3.14).
	Condition outrank.PodCondition
	// Grace is the time that the victim has to end, nil for the pod's own.
	Grace *time.Duration
	// Preemptor is the pod that the room is for, Node the node that it is on.
	// For a group that is the first pod of it that still waits, and Node is
	// "cluster".
	Preemptor *outrank.Pod
	Node      string
	// Group is the preemptor if that is a group, else nil.
	Group *queue.Group
}

// Period is the time that the victim has to end: Grace, or else that of the victim's
// own Grace, or else [outrank.DefaultGracePeriod] (rule 14.1.7).
func (e *Eviction) Period() time.Duration {
	if e.Grace != nil {
		return *e.Grace
	}
	if e.Victim == nil {
		return outrank.DefaultGracePeriod
	}
	return e.Victim.GracePeriod(outrank.DefaultGracePeriod)
}
