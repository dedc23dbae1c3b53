package queue

import (
	"cmp"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// Queue holds the pods that wait to be placed: kube-scheduler's queue (chapter 5;
// PriorityQueue), or the plain one of [NewFIFO]. A pod is known by its namespace and name
// and is in one place at a time: in a pool where it waits, or in flight while an attempt is
// under way. A pod of the same name with another UID is another pod: adding or updating it
// replaces the earlier pod, wherever that was, and it begins without a past.
//
// An attempt begins when a pod is popped and ends in one of these ways:
//
//   - it was placed: Done;
//   - it was not: AddUnschedulableIfNotPresent puts it back;
//   - it is gone: Remove ends the attempt, and an entry that comes back from it
//     afterwards is refused;
//   - it is to wait again at once: Add.
//
// A pod that is neither done nor put back stays in flight for ever, and takes up memory.
//
// Times should not go backwards, but nothing breaks if they do. The queue keeps pointers to pods, which
// must not be changed while they are inside: a changed pod is a new value, given to Update. The caller
// decides which pods belong into the queue: the queue does not look at their node, phase or deletion time.
// A method that returns an error returns one for a nil pod; the others ignore it.
//
// A pod that waits is in one of four pools:
//
//   - active: to be popped, in the order of [Config.Compare];
//   - backoff: to wait until [Entry.BackoffEnd] is over, or until no pod is active;
//   - unschedulable: not to be tried before an event that may help;
//   - gated: not to be tried before its gates let it in.
//
// A pod that is put back goes to backoff if something happened while it was in flight that may help it: an
// event of [Queue.MoveAll] or an update of the pod, as [Config.Helps] answers now that the failed filters are
// known; Activate; or an assigned pod that may satisfy its affinity. If nothing happened it goes to
// unschedulable. A pod that names no failed filter goes to backoff, too, because no event is known that it
// could wait for; that backoff is never cut short. An event that may help one of the pod's
// [Entry.PendingFilters] makes it active whatever is left of its backoff. From unschedulable, events and
// updates move it to active if its backoff is over, and to backoff if not.
//
// The scheduling gates of a pod and those of [Config.Gates] are asked whenever the pod is about to become
// active or to go to backoff, but not on the way from backoff to active. A pod that one of them holds is gated.
// They are asked again when the pod is added, updated or activated and, but for scheduling gates, at any event
// of [Gate.Events] that the queue is told of. From v1.37 on Flush asks them, too. A gated pod that is let in
// goes to active, or to backoff if its backoff is not over.
//
// Groups of pods are queued as one if the release says so ([Group], group 5.8). A group is active, in backoff,
// gated or in flight, and never unschedulable.
//
// Deviations from v1.36, beside those of [CompareEntries]:
//
//   - a pod added again keeps its attempts, and a deleted one is refused when
//     it comes back; upstream leaves the check to the scheduler;
//   - with [Config.NoEarlyPop] a pod is due at the exact end of its backoff, where upstream waits for the
//     moment after it; likewise the time-out is over at its exact end. It moves a pod to active, at the
//     end of its backoff if that is later.
//
// Operations on one pod take O(log n), operations that move many O(n log n). Any number of goroutines may use a
// Queue at once. [New] makes one. The zero Queue is empty and stays so: methods that add a pod return an error
// that wraps [outrank.ErrInvalid], and so does Pop.
type Queue struct {
	core
	config Config
	log    flightLog
	// batching says that pods may be kept in batches: the configuration has no function of the caller
	// that could treat two of them differently.
	batching     bool
	batchRefusal batchRefusal
	// fifo says that NewFIFO made the queue.
	fifo bool
}

var errNoQueue = fmt.Errorf("%w: no queue", outrank.ErrInvalid)

// New returns an empty queue. The error lists everything that is wrong with the
// configuration, in one *[outrank.InputError].
func New(config Config) (*Queue, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}

	q := &Queue{config: config.filledIn()}
	q.batching = len(config.Gates) == 0 && config.Compare == nil && config.Helps == nil && !config.old()
	q.batchRefusal = batchRefusal{config: &q.config, steps: q.config.stepsToMax()}
	q.early, q.gate = !config.NoEarlyPop && !config.old(), q.config.gateOf

	q.rules = release.Of(release.Release(config.Release))
	if q.rules.FlushAsksGates {
		q.gatesAskedAfter = q.config.UnschedulableTimeout
	}
	if q.rules.GroupsQueued {
		q.groups = newGroupTable(q.rules.CompositesQueued, q.reopen)
	}
	q.init(q.config.order)
	return q, nil
}

// NewFIFO returns an empty queue without priorities, the simple queue of v1.13 (group 5.6): pods
// are popped in the order in which they came. A pod that is put back goes to the end and
// can be popped again at once. There is no backoff, no gate, no group and no pool of
// unschedulable pods, so there is nothing to move, to activate or to flush.
func NewFIFO() *Queue {
	q := &Queue{config: Config{}.filledIn(), fifo: true}
	q.rules = release.Of(release.Default)
	q.init(func(a, b *item) int { return cmp.Compare(a.arrival, b.arrival) })
	return q
}

// Follows reports whether the queue is that of a variant: the one of its [Config]. A queue of [NewFIFO] has no
// rules in which variants differ, and follows each of them.
func (q *Queue) Follows(variant outrank.Variant) bool {
	return q != nil && (q.fifo || q.config.Variant == variant)
}

// revive puts an item that is in no pool into active, or into backoff if its backoff is not over
// and h does not cut it short. It reports whether the item's gates let it in.
func (q *Queue) revive(it *item, h help, now time.Time) bool {
	to := active
	if h != atOnce && q.config.backoffOver(it.BackoffEnd).After(now) {
		to = it.backoffPool()
	}
	q.push(it, to)
	return it.pool != gated
}

// hurry makes a waiting item active, unless a gate holds it.
func (q *Queue) hurry(it *item) {
	// With early pops the gates were asked before the item went to backoff, and they let it in (rule 5.2.6).
	if q.early && (it.pool == backoff || it.pool == errorBackoff) {
		q.pools[it.pool].remove(it)
		q.put(it, active)
		return
	}
	q.move(it, active)
}

// Flush makes active the pods whose backoff is over and the pods that have been unschedulable for the
// time-out, and returns how many they are. From v1.37 on it also asks the gates of pods that have been gated
// for the time-out. Those that are let in become active; the others wait for another time-out (rule 5.2.7).
// Time O(1) if no pod is due, O(log n) for each that is.
func (q *Queue) Flush(now time.Time) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.activateDue(now)
}

// activateDue is Flush with mu held.
func (q *Queue) activateDue(now time.Time) int {
	if q.fifo {
		return 0 // no pod waits for a time
	}

	// The head of each pool is due first in it.
	count, timedOut := 0, false
	for p := range poolCount {
		for it := q.pools[p].head(); it != nil; it = q.pools[p].head() {
			if at, ok := q.dueAt(it); !ok || at.After(now) {
				break
			}
			timedOut = timedOut || it.pool == unschedulable || it.pool == gated
			q.activate(it, now)
			if it.pool == active {
				count += it.size()
			}
		}
	}
	if timedOut {
		q.movedSince = true
		q.note(ClusterEvent{}, nil) // rule 5.5.6
	}
	return count
}

// activate makes a due item active, unless a gate holds it. A gated item that is let in may still have to
// go to backoff.
func (q *Queue) activate(it *item, now time.Time) {
	switch it.pool {
	case unschedulable:
		q.why, it.flushed = timeOut, now
		q.move(it, active)
	case gated:
		q.why, it.flushed = timeOut, now
		q.pools[gated].remove(it)
		q.revive(it, afterBackoff, now)
	default:
		q.why = backoffComplete
		q.hurry(it)
	}
}

// dueAt returns the time at which an item becomes active, or its gates are asked, if nothing else
// happens. The result is false for an item that does not wait for a time: it is active, in flight, or gated
// until an event.
func (q *Queue) dueAt(it *item) (time.Time, bool) {
	switch it.pool {
	case backoff, errorBackoff:
		return q.config.backoffOver(it.BackoffEnd), true
	case unschedulable:
		return it.due, true
	case gated:
		return it.due, q.gatesAskedAfter > 0 && !it.due.IsZero()
	}
	return time.Time{}, false
}

// note keeps an event for the attempts under way. concerns reports whether it is about a pod; nil stands
// for all pods.
func (q *Queue) note(event ClusterEvent, concerns func(*outrank.Pod) bool) {
	// In a FIFO queue no pod waits for events, and the queue of v1.13 goes by movedSince instead (rule 5.9.3).
	if q.fifo || q.config.old() {
		return
	}

	oldest := q.pools[inFlight].head()
	if oldest == nil {
		q.log.clear()
		return
	}
	q.log.note(flightEvent{event, q.cycle, concerns}, oldest.Cycle)
}

// reopen asks the gates of a gated group again, and moves the group to active or backoff if they let it in.
func (q *Queue) reopen(it *item, now time.Time) {
	q.pools[gated].remove(it)
	q.revive(it, afterBackoff, now)
}
