package queue

import (
	"time"

	"github.com/outrank-go/outrank"
)

// Update replaces a pod by a newer version, or adds it. An active pod may change its place in the order; a
// pod in backoff stays there. An unschedulable pod moves if the change may help, as [Config.Helps] answers
// about [EventPodUpdated]. A change that is limited to the parts of the status that a pending pod has, such
// as [outrank.Pod.NominatedNodeName], never helps. If the same pointer is inside already, the pod was
// changed in place and its earlier version is not known.
//
// For a pod in flight each update is kept until the pod is put back, and Helps is asked about it then;
// from v1.37 on it is also asked for the other pods that were in flight (rule 5.5.7). Time O(log n), and
// the comparison of the two versions.
func (q *Queue) Update(pod *outrank.Pod, now time.Time) error {
	if q == nil {
		return errNoQueue
	}
	if err := q.refuses("Update", pod); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()

	it := q.find(pod)
	if it == nil {
		q.enter(pod, now)
		return nil
	}
	q.why = targetPodUpdate
	if it.leaf != "" || q.isMember(pod) {
		q.updateMember(it, pod, now)
		return nil
	}

	// replace may move the item to gated. Its gates are then asked once more below, like those of any
	// gated item.
	before := it.Pod
	if before == pod {
		before = nil // it may have been changed in place
	}
	q.replace(it, pod)
	switch it.pool {
	case inFlight:
		it.updated = true
		q.noteUpdate(before, pod)
	case unschedulable:
		if h := q.helpOfItself(it, before, pod); h != noHelp {
			q.pools[unschedulable].remove(it)
			q.revive(it, h, now)
		}
	case gated:
		q.pools[gated].remove(it)
		q.revive(it, opened(it, func() help { return q.helpOfItself(it, before, pod) }), now)
	}
	return nil
}

// updateMember is Update of a pod whose earlier or newer version is a member of a group.
func (q *Queue) updateMember(it *item, pod *outrank.Pod, now time.Time) {
	switch {
	case it.pool == inFlight:
		before := it.Pod
		if before == pod {
			before = nil
		}
		q.noteUpdate(before, pod)
		it.Pod, it.class = pod, nil
		it.updated = true
		q.listMember(it)
	case q.sameGroup(it, pod) && it.pool > poolCount:
		q.replaceMember(it, pod, now)
	default:
		q.remove(it)
		it.Pod, it.class = pod, nil
		q.listMember(it)
		q.place(it)
	}
}

// FollowResize tells the queue of the latest version of a pod that is on a node, and
// reports whether the pod is inside afterwards (rule 5.4.15). With the feature gate
// InPlacePodVerticalScalingSchedulerPreemption in [Config.Release], it calls [Queue.Update] for a pod
// whose in-place resize is deferred, and takes any other pod out of the queue, even out of flight. Without
// the gate it takes every pod out. A pod that is gone is for [Queue.Remove]. Time O(log n), and the
// comparison of the two versions.
func (q *Queue) FollowResize(pod *outrank.Pod, now time.Time) (bool, error) {
	if q == nil {
		return false, errNoQueue
	}
	switch {
	case pod == nil:
		return false, errNoPod("FollowResize")
	case !wantsResize(&q.rules, pod):
		q.Remove(pod)
		return false, nil
	}
	return true, q.Update(pod, now)
}

// AddUnschedulableIfNotPresent ends an attempt and puts the pod back. The entry is the popped one,
// whose Cycle names the attempt, with the latest version of the pod and the filters that it failed
// with. An entry of an attempt that is over changes nothing; the error then wraps [ErrNotInFlight].
//
// A pod whose entry names no failed filter goes to backoff, and so does a pod that an event during its
// attempt may help. If the event may help one of its pending filters, the pod goes to
// active. Any other pod goes to unschedulable. Time O(log n), and linear in the events of the attempt.
//
// A group goes back with the pods that wait for it, after each of its members was put back (rules 5.8.7 and
// 5.8.8). It goes to backoff because it found no place or, if no failed filter is named, because its attempt
// ended in an error. Time O(n log n) in these pods.
func (q *Queue) AddUnschedulableIfNotPresent(e Entry, now time.Time) error {
	if q == nil {
		return errNoQueue
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if e.Group != nil {
		return q.addRefusedGroup(&e, now)
	}

	it, err := q.returning(&e)
	if err != nil {
		return err
	}
	it.failed(&e, now)
	if it.leaf != "" || q.isMember(it.Pod) {
		q.putBackMember(it, now)
		return nil
	}
	q.putBack(it, now)
	return nil
}

// putBack moves a pod whose attempt failed to the pool that it waits in.
func (q *Queue) putBack(it *item, now time.Time) {
	q.why = attemptFailure
	if q.fifo {
		q.move(it, active)
		return
	}

	// Only now that the failed filters are known can the queue tell whether an event during the attempt
	// helps (rule 5.5.2). The queue of v1.13 goes by flags instead (rule 5.9.3).
	q.config.delay(it, now)
	switch {
	case q.config.old() && (q.movedSince || it.moved || len(it.FailedFilters) == 0):
		q.move(it, active)
	case q.config.old():
		q.move(it, unschedulable)
	case len(it.FailedFilters) == 0:
		q.move(it, errorBackoff)
	default:
		q.move(it, it.poolFor(q.helped(it)))
	}
}

// putBackMember puts a pod of a group among the pods that wait for the group (rule 5.8.6).
func (q *Queue) putBackMember(it *item, now time.Time) {
	q.why = attemptFailure
	q.listMember(it)
	if it.leaf == "" { // the latest version belongs to no group
		q.putBack(it, now)
		return
	}
	q.remove(it)
	q.join(it)
}
