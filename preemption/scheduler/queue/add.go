package queue

import (
	"time"

	"github.com/outrank-go/outrank"
)

// Add puts a pod into active, or into its group (rule 5.8.11). A pod that is inside already keeps its attempts
// and FirstEnqueued. It enters as a new pod unless it is active, where only the version of the pod is replaced.
// Time O(log n).
func (q *Queue) Add(pod *outrank.Pod, now time.Time) error {
	if q == nil {
		return errNoQueue
	}
	if err := q.refuses("Add", pod); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()

	it := q.find(pod)
	q.why = unscheduledPodAdd
	switch {
	case it == nil:
		q.enter(pod, now)
	case it.leaf != "" || q.isMember(pod):
		q.addMember(it, pod, now)
	case it.pool == active:
		q.replace(it, pod)
	default:
		// Enqueued is a key of the heap, and must not change while the item is in it.
		q.pools[it.pool].remove(it)
		it.Pod, it.class = pod, nil
		it.Enqueued = now
		q.push(it, active)
	}
	return nil
}

// AddIfNotPresent adds a pod unless it is inside; a pod in flight counts as inside. It reports whether
// it added the pod. Time O(log n).
func (q *Queue) AddIfNotPresent(pod *outrank.Pod, now time.Time) (bool, error) {
	if q == nil {
		return false, errNoQueue
	}
	if err := q.refuses("AddIfNotPresent", pod); err != nil {
		return false, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.find(pod) != nil {
		return false, nil
	}
	q.enter(pod, now)
	return true, nil
}

// Remove takes a pod out, even out of flight, and reports whether it was inside. A pod of
// the same name with another UID stays. Time O(log n).
func (q *Queue) Remove(pod *outrank.Pod) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	it := q.find(pod)
	if it != nil {
		q.drop(it)
	}
	return it != nil
}

// Done ends an attempt for good and reports whether it was still under way. Time O(log n).
func (q *Queue) Done(e Entry) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	it := q.flight(&e)
	if it != nil {
		q.drop(it)
	}
	return it != nil
}
