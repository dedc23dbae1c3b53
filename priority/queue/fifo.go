package queue

import (
	"cmp"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// FIFO is the simple queue of v1.13, for schedulers without priorities: pods are
// popped in the order in which they came, whatever their priority. A pod that is
// put back goes to the end and can be popped again at once. There is no backoff
// and no pool of unschedulable pods, so there is nothing to move, to activate or
// to flush. Everything else is as [SchedulingQueue] says. [NewFIFO] makes a FIFO; the zero
// FIFO is empty and takes no pod, as the zero [Queue].
// Operations take O(log n). Any number of goroutines may use it at once.
type FIFO struct {
	core
}

// NewFIFO returns an empty queue.
func NewFIFO() *FIFO {
	q := &FIFO{}
	q.rules = release.Of(release.Default)
	q.init(func(a, b *item) int { return cmp.Compare(a.arrival, b.arrival) })
	return q
}

// AddUnschedulableIfNotPresent puts a pod back, at the end. Time O(log n).
func (q *FIFO) AddUnschedulableIfNotPresent(e Entry, now time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	it, err := q.returning(&e)
	if err != nil {
		return err
	}
	it.failed(&e, now)
	q.why = attemptFailure
	q.move(it, active)
	return nil
}

// Update replaces a pod where it stands, or adds it.
func (q *FIFO) Update(pod *outrank.Pod, now time.Time) error {
	if err := q.refuses("Update", pod); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if it := q.find(pod); it != nil {
		it.Pod, it.updated, it.class = pod, true, nil
	} else {
		q.enter(pod, now)
	}
	return nil
}

// TryPop takes the first pod, if there is one.
func (q *FIFO) TryPop(time.Time) (Entry, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pop(false)
}

// NextReady returns now while there is a pod.
func (q *FIFO) NextReady(now time.Time) (time.Time, bool) {
	if q.Counts().Active == 0 {
		return time.Time{}, false
	}
	return now, true
}

// Activate does nothing: every pod that waits is active.
func (q *FIFO) Activate(...*outrank.Pod) int { return 0 }

// MoveAll does nothing: no pod waits for an event.
func (q *FIFO) MoveAll(ClusterEvent, time.Time) int { return 0 }

// RoomGivenUp does nothing: no pod waits for room.
func (q *FIFO) RoomGivenUp(*outrank.Pod, time.Time) int { return 0 }

// AssignedPodAdded does nothing: no pod waits for another.
func (q *FIFO) AssignedPodAdded(*outrank.Pod, time.Time) int { return 0 }

// AssignedPodUpdated does nothing: no pod waits for another.
func (q *FIFO) AssignedPodUpdated(*outrank.Pod, time.Time) int { return 0 }

// Flush does nothing: no pod waits for a time.
func (q *FIFO) Flush(time.Time) int { return 0 }

// Refuse makes the attempts that are known to come to nothing, as that of [Queue]
// does, one by one. Time O(log n) for each.
func (q *FIFO) Refuse(now time.Time, r Refusing) Refusals {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.refuseEach(now, &r, false, func(it *item) { q.why = attemptFailure; q.move(it, active) })
}
