package queue

import (
	"reflect"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// Queue is kube-scheduler's queue (chapter 5; PriorityQueue). A pod that waits
// is in one of three pools:
//
//   - active: to be popped, in the order of [Config.Compare];
//   - backoff: not to be tried before [Entry.BackoffEnd];
//   - unschedulable: not to be tried before an event that may help.
//
// A pod that is put back goes to backoff if a move event arrived while it was in
// flight, and to unschedulable if none did. A move event is any [Queue.MoveAll],
// whatever its event may help. For this pod alone, a move event is Activate, an
// update that changes what the scheduler looks at, or an assigned pod that may
// satisfy its affinity. A pod that names no failed filter goes to backoff, too,
// because no event is known that it could wait for. From unschedulable, events and
// updates move it to active if its backoff is over, and to backoff if not.
//
// Deviations from v1.36, beside those of [CompareEntries]:
//
//   - backoff doubles with Entry.Attempts, where upstream counts rejections and
//     errors apart;
//   - no pod is popped before the end of its backoff, where upstream pops a pod
//     early if no other is there (SchedulerPopFromBackoffQ);
//   - any move event counts for a pod in flight, where upstream asks its hints
//     once it knows what the pod failed with;
//   - a pod added again keeps its attempts, and a deleted one is refused when
//     it comes back; upstream leaves the check to the scheduler;
//   - a pod is due at the very moment, not after it, and the time-out moves a pod
//     to active, at the end of its backoff if that is later.
//
// Operations on one pod take O(log n), those that move many O(n log n). Any number
// of goroutines may use a Queue at once. [New] makes one.
type Queue struct {
	core
	config Config
	// moveCycle is the last attempt that was begun before the last move event:
	// this attempt and those before it saw that event if they are still under
	// way.
	moveCycle int64
}

// New returns an empty queue. The error is that of [Config.Validate].
func New(config Config) (*Queue, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	q := &Queue{config: config.filledIn()}
	q.init(q.config.order)
	return q, nil
}

// AddUnschedulableIfNotPresent puts a pod back: into backoff if a move event
// arrived during its attempt or it names no failed filter, else into
// unschedulable. Time O(log n).
func (q *Queue) AddUnschedulableIfNotPresent(e Entry, now time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	it, err := q.returning(&e)
	if err != nil {
		return err
	}
	it.Enqueued, it.FailedFilters = now, distinct(e.FailedFilters)
	it.BackoffEnd = now.Add(q.config.backoffAfter(it.Attempts))
	it.due = now.Add(q.config.UnschedulableTimeout)
	if it.due.Before(it.BackoffEnd) {
		it.due = it.BackoffEnd
	}
	if it.moved || q.moveCycle >= it.Cycle || len(it.FailedFilters) == 0 {
		q.move(it, backoff)
	} else {
		q.move(it, unschedulable)
	}
	return nil
}

// distinct returns a sorted copy without duplicates; nil for none.
func distinct(filters []string) []string {
	if len(filters) == 0 {
		return nil
	}
	out := slices.Clone(filters)
	slices.Sort(out)
	return slices.Compact(out)
}

// Update replaces a pod by a newer version, or adds it. An active pod is sorted
// in anew, a pod in backoff stays there. An unschedulable pod moves if the change
// may help: a change of anything but the parts of its status that a pending pod
// has, such as [outrank.Pod.NominatedNode]. A pod whose pointer is inside already
// moves as well, since its earlier state is not known. Time O(log n), and
// the comparison of the two versions.
func (q *Queue) Update(pod *outrank.Pod, now time.Time) error {
	if pod == nil {
		return errNoPod("Update")
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	it := q.find(pod)
	if it == nil {
		q.enter(pod, now)
		return nil
	}
	helps := (it.pool == unschedulable || it.pool == inFlight) && mayHelpItself(it.Pod, pod)
	q.replace(it, pod)
	switch it.pool {
	case inFlight:
		it.updated = true
		it.moved = it.moved || helps
	case unschedulable:
		if helps {
			q.revive(it, now)
		}
	}
	return nil
}

// mayHelpItself reports whether the difference between two versions of a pending
// pod may make it schedulable (isPodUpdated). Containers have no status before a
// pod runs.
func mayHelpItself(before, after *outrank.Pod) bool {
	if before == after {
		return true
	}
	a, b := *before, *after
	for _, p := range []*outrank.Pod{&a, &b} {
		p.NominatedNode, p.StartTime, p.DisruptionReason = "", time.Time{}, ""
		p.Ready, p.QOSClass, p.Phase, p.ResizeInfeasible = false, "", "", false
		p.Value = nil
	}
	return !reflect.DeepEqual(a, b)
}

// revive moves a pod to active, or to backoff while that lasts.
func (q *Queue) revive(it *item, now time.Time) {
	if it.BackoffEnd.After(now) {
		q.move(it, backoff)
	} else {
		q.move(it, active)
	}
}

// Activate makes pods active at once that are in backoff or unschedulable, and
// returns how many. A pod in flight goes to backoff when it is put back; others
// are left alone. Pods that lose their nomination to a preemptor are tried again
// in this way (rules 5.4.7 and 14.3.3). Time O(log n) for each.
func (q *Queue) Activate(pods ...*outrank.Pod) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	count := 0
	for _, pod := range pods {
		it := q.find(pod)
		switch {
		case it == nil:
		case it.pool == inFlight:
			it.moved = true
		case it.pool != active:
			q.move(it, active)
			count++
		}
	}
	return count
}

// Flush makes the pods active whose backoff is over and those that have been
// unschedulable for the time-out, and returns how many. Time O(1) if there are
// none, O(log n) for each.
func (q *Queue) Flush(now time.Time) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.activateDue(now)
}

// activateDue is Flush with mu held.
func (q *Queue) activateDue(now time.Time) int {
	count := 0
	for it := q.pools[unschedulable].head(); it != nil && !it.due.After(now); it = q.pools[unschedulable].head() {
		q.move(it, active)
		count++
	}
	for it := q.pools[backoff].head(); it != nil && !it.BackoffEnd.After(now); it = q.pools[backoff].head() {
		q.move(it, active)
		count++
	}
	return count
}

// TryPop flushes, so that the pods that are due count, and takes the first active
// pod, if there is one. Time O(log n) for each pod that is flushed or taken.
func (q *Queue) TryPop(now time.Time) (Entry, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.activateDue(now)
	return q.popActive()
}

// NextReady returns when TryPop will have a pod if nothing else happens: now if a
// pod is active or due, else when the first backoff or time-out ends. A simulator
// on virtual time can jump there. Constant time.
func (q *Queue) NextReady(now time.Time) (time.Time, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.pools[active].head() != nil {
		return now, true
	}
	inBackoff, stuck := q.pools[backoff].head(), q.pools[unschedulable].head()
	var next time.Time
	switch {
	case inBackoff == nil && stuck == nil:
		return time.Time{}, false
	case stuck == nil || inBackoff != nil && inBackoff.BackoffEnd.Before(stuck.due):
		next = inBackoff.BackoffEnd
	default:
		next = stuck.due
	}
	if next.Before(now) {
		next = now
	}
	return next, true
}
