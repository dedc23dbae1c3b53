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
// Times should not go backwards, but nothing breaks if they do. Pods are kept as pointers
// and must not be changed while they are inside; a changed pod is a new value, given to
// Update. The caller decides which pods belong into the queue: a node, a phase or a deletion
// time are not looked at. A nil pod is an error where the method returns one, and is ignored
// otherwise.
//
// A pod that waits is in one of four pools:
//
//   - active: to be popped, in the order of [Config.Compare];
//   - backoff: to wait until [Entry.BackoffEnd] is over, or until no other pod is
//     to be popped;
//   - unschedulable: not to be tried before an event that may help;
//   - gated: not to be tried before its gates let it in.
//
// A pod that is put back goes to backoff if something happened while it was in
// flight that may help it, and to unschedulable if nothing did: an event of
// [Queue.MoveAll], an update of the pod, both as [Config.Helps] answers now that the
// failed filters are known, Activate, or an assigned pod that may satisfy its affinity. A pod that
// names no failed filter goes to backoff, too, because no event is known that it could wait for;
// that backoff is never cut short. An event that may help one of the pod's [Entry.PendingFilters]
// makes it active whatever is left of its backoff. From unschedulable, events and updates move it
// to active if its backoff is over, and to backoff if not.
//
// The scheduling gates of a pod and those of [Config.Gates] are asked whenever the
// pod is about to become active or to go to backoff. From backoff to active they are
// not asked again. A pod that one of them holds is gated. They are asked again when
// the pod is added, updated or activated and, but for scheduling gates, at any event
// that Queue is told of and that is one of [Gate.Events]. Time alone does not have them
// asked before v1.37; from then on Flush does. A gated pod that is
// let in goes to active, or to backoff while that lasts.
//
// Groups of pods are queued as one where the release says so ([Group], group 5.8). A group
// is active, in backoff, gated or in flight, and never unschedulable.
//
// Deviations from v1.36, beside those of [CompareEntries]:
//
//   - a pod added again keeps its attempts, and a deleted one is refused when
//     it comes back; upstream leaves the check to the scheduler;
//   - with [Config.NoEarlyPop] a pod is due at the very end of its backoff, not
//     after it; the time-out is over at the very moment, too, and moves a pod to
//     active, at the end of its backoff if that is later.
//
// Operations on one pod take O(log n), those that move many O(n log n). Any number
// of goroutines may use a Queue at once. [New] makes one. The zero Queue is empty and stays
// so: what adds a pod returns an error that wraps [outrank.ErrInvalid], and so does Pop.
type Queue struct {
	core
	config Config
	log    flightLog
	// batching says that pods may be kept together: nothing of the caller's tells
	// them apart.
	batching     bool
	batchRefusal batchRefusal
	// fifo: the queue is one of NewFIFO.
	fifo bool
}

var errNoQueue = fmt.Errorf("%w: no queue", outrank.ErrInvalid)

// New returns an empty queue. The error has everything that is wrong with the
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
		q.again = q.config.UnschedulableTimeout
	}
	if q.rules.GroupsQueued {
		q.groups = newGroupTable(q.rules.CompositesQueued, q.reopen)
	}
	q.init(q.config.order)
	return q, nil
}

// NewFIFO returns an empty queue that goes by no priority, the simple queue of v1.13: pods
// are popped in the order in which they came. A pod that is put back goes to the end and
// can be popped again at once. There is no backoff, no gate, no group and no pool of
// unschedulable pods, so there is nothing to move, to activate or to flush.
func NewFIFO() *Queue {
	q := &Queue{config: Config{}.filledIn(), fifo: true}
	q.rules = release.Of(release.Default)
	q.init(func(a, b *item) int { return cmp.Compare(a.arrival, b.arrival) })
	return q
}

// revive puts a pod that is in no pool into active, or into backoff while that
// lasts and the help does not come at once, and reports whether its gates let it in.
func (q *Queue) revive(it *item, h help, now time.Time) bool {
	to := active
	if h != atOnce && q.config.backoffOver(it.BackoffEnd).After(now) {
		to = it.backoffPool()
	}
	q.push(it, to)
	return it.pool != gated
}

// hurry makes an item active that waits elsewhere. In backoff it was let in already,
// where gates are asked on the way there.
func (q *Queue) hurry(it *item) {
	if q.early && (it.pool == backoff || it.pool == errorBackoff) {
		q.pools[it.pool].remove(it)
		q.put(it, active)
		return
	}
	q.move(it, active)
}

// Flush makes the pods active whose backoff is over, and those that have been
// unschedulable for the time-out, and returns how many. From v1.37 on it asks the
// gates of pods that have been gated for as long, too, and lets those in that nothing
// holds; the others are asked about after the next time-out (rule 5.2.7). Time O(1) if there are
// none, O(log n) for each.
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
	count, timedOut := 0, false
	for p := range poolCount {
		for it := q.pools[p].head(); it != nil; it = q.pools[p].head() {
			if at, ok := q.dueAt(it); !ok || at.After(now) {
				break
			}
			timedOut = timedOut || it.pool == unschedulable || it.pool == gated
			if q.activate(it, now); it.pool == active {
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

// activate makes a pod active that is due.
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

// dueAt returns when a pod becomes active, or its gates are asked, if nothing else
// happens; false for one in flight, for one that is gated for good, and for one that
// is active.
func (q *Queue) dueAt(it *item) (time.Time, bool) {
	switch it.pool {
	case backoff, errorBackoff:
		return q.config.backoffOver(it.BackoffEnd), true
	case unschedulable:
		return it.due, true
	case gated:
		return it.due, q.again > 0 && !it.due.IsZero()
	}
	return time.Time{}, false
}

// note keeps an event for the attempts under way.
func (q *Queue) note(event ClusterEvent, concerns func(*outrank.Pod) bool) {
	if q.fifo || q.config.old() {
		return // no pod waits for it, or one flag is all that it has (rule 5.9.3)
	}
	oldest := q.pools[inFlight].head()
	if oldest == nil {
		q.log.clear()
		return
	}
	q.log.note(flightEvent{event, q.cycle, concerns}, oldest.Cycle)
}

// reopen asks the gates of a gated group.
func (q *Queue) reopen(it *item, now time.Time) {
	q.pools[gated].remove(it)
	q.revive(it, afterBackoff, now)
}
