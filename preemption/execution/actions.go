package execution

import (
	"context"
	"time"

	"github.com/outrank-go/outrank"
)

// Actions is how a plan reaches the cluster; the caller implements it. An error
// that wraps [ErrNotFound] says that the pod is gone, which is as good as what
// was asked for. Several goroutines may call all of it at once. Nothing may
// change the pods that it is shown.
//
// Most of it is seed 001's PodPreemptor; waiting pods, events and the queue
// came with the scheduling framework.
type Actions interface {
	// Latest gives the pod as it is now.
	Latest(ctx context.Context, pod *outrank.Pod) (*outrank.Pod, error)
	// Reject refuses a victim that has a place but still waits to be bound
	// (Permit), and reports whether it did wait. One that does not is evicted.
	Reject(ctx context.Context, victim *outrank.Pod) (bool, error)
	// Evict marks a victim with the condition and then deletes it.
	Evict(ctx context.Context, e Eviction) error
	// Nominate notes on the pod that room is being made for it on the node.
	Nominate(ctx context.Context, pod *outrank.Pod, node string) error
	// ClearNomination takes the pod's nomination back, and lets the pod be
	// tried again at once: it goes to the active queue.
	ClearNomination(ctx context.Context, pod *outrank.Pod) error
	// Activate lets the pod be tried again at once, as it is not worth waiting
	// for its victims any more.
	Activate(pod *outrank.Pod)
	// Event tells people.
	Event(e Event)
}

// Eviction is a victim to be evicted.
type Eviction struct {
	// Victim is the very pod that was chosen: where it has a UID, a later pod of
	// the same name is another one, and must not be deleted.
	Victim *outrank.Pod
	// Condition is set before the victim is deleted. A scheduler knows by it
	// that the pod leaves because of a preemption (section 6).
	Condition Condition
	// Grace is the time the victim is given to end, nil for its own.
	Grace *time.Duration
	// Preemptor is for whom, Node where.
	Preemptor *outrank.Pod
	Node      string
}
