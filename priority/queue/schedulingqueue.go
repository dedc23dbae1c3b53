package queue

import (
	"context"
	"time"

	"github.com/outrank-go/outrank"
)

// SchedulingQueue holds the pods that wait to be placed (upstream's
// SchedulingQueue). A pod is known by its namespace and name and is in one place
// at a time: in a pool where it waits, or in flight while an attempt is under
// way. A pod of the same name with another UID is another pod: adding or updating
// it replaces the earlier pod, wherever that was, and it begins without a past.
//
// An attempt begins when a pod is popped and ends in one of these ways:
//
//   - it was placed: Done;
//   - it was not: AddUnschedulableIfNotPresent puts it back;
//   - it is gone: Delete ends the attempt, and an entry that comes back from it
//     afterwards is refused;
//   - it is to wait again at once: Add.
//
// A pod that is neither done nor put back stays in flight for ever, and takes up
// memory.
//
// Times should not go backwards, but nothing breaks if they do. Pods are kept as
// pointers and must not be changed while they are inside; a changed pod is a new
// value, given to Update. The caller decides which pods belong into the queue: a
// node, a phase or a deletion time are not looked at. A [Queue] holds back pods that
// have scheduling gates, a [FIFO] does not look at them. A nil pod is an error where the method returns one, and is ignored
// otherwise.
type SchedulingQueue interface {
	// Add makes a pod wait for its next attempt without delay, or with its group (rule
	// 5.8.11). A pod that is already inside keeps its attempts and FirstEnqueued. It enters as a new
	// pod unless it is active, where only the version of the pod is replaced.
	Add(pod *outrank.Pod, now time.Time) error
	// AddIfNotPresent adds a pod unless it is inside, in flight included, and
	// reports whether it did.
	AddIfNotPresent(pod *outrank.Pod, now time.Time) (bool, error)
	// AddUnschedulableIfNotPresent ends an attempt and puts the pod back. The
	// entry is the popped one, whose Cycle names the attempt, with the latest
	// version of the pod and the filters that it failed with. An entry of an
	// attempt that is over changes nothing; the error then wraps
	// [ErrNotInFlight].
	AddUnschedulableIfNotPresent(e Entry, now time.Time) error
	// Update replaces a pod by a newer version of it, or adds it if it is not
	// inside. A pod in flight comes back as the newer version.
	Update(pod *outrank.Pod, now time.Time) error
	// Delete takes a pod out, also out of flight, and reports whether it was
	// inside. A pod of the same name with another UID stays.
	Delete(pod *outrank.Pod) bool

	// Pop takes the first active pod and begins an attempt with it. While there
	// is none it waits until there is, until the queue is closed, when the error
	// is [ErrClosed], or until the context ends, when it is the context's. It
	// knows no time, so the caller has to call Flush now and then.
	Pop(ctx context.Context) (Entry, error)
	// TryPop flushes and takes the first active pod, if there is one.
	TryPop(now time.Time) (Entry, bool)
	// Done ends an attempt for good and reports whether it was still under way.
	Done(e Entry) bool

	// Activate makes pods that wait elsewhere active at once, whatever is left
	// of their backoff; it returns how many.
	Activate(pods ...*outrank.Pod) int
	// MoveAll moves the unschedulable pods that the event may help, and the gated
	// ones whose gates are open by now, to active, or to backoff while that lasts;
	// it returns how many.
	MoveAll(event ClusterEvent, now time.Time) int
	// AssignedPodAdded does so for the pods whose required pod affinity the pod
	// that was just placed may satisfy, AssignedPodUpdated for a pod that was
	// changed.
	AssignedPodAdded(pod *outrank.Pod, now time.Time) int
	AssignedPodUpdated(pod *outrank.Pod, now time.Time) int
	// RoomGivenUp does so for the pods that may use the room which a pod had
	// without being on a node: its nomination is gone or has changed, or it could
	// not be bound.
	RoomGivenUp(pod *outrank.Pod, now time.Time) int
	// Flush makes the pods active that have waited long enough; it returns how
	// many.
	Flush(now time.Time) int
	// NextReady returns when TryPop will have a pod if nothing else happens: now
	// if it has one already. False means never.
	NextReady(now time.Time) (time.Time, bool)

	// Pending returns the entries inside, Counts only their numbers.
	Pending() Pending
	Counts() Counts
	// Close ends all waiting, now and later: Pop still returns what is active,
	// and then [ErrClosed]. Everything else continues to work.
	Close()
}

var (
	_ SchedulingQueue = (*Queue)(nil)
	_ SchedulingQueue = (*FIFO)(nil)
)
