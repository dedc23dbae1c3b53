package queue

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// PutGroup tells the queue of a group of pods, or of a newer version of it. Pods that
// waited for it are no longer incomplete (rule 5.8.5). The call has no effect for a nil group, or where
// the release and its feature gates do not queue groups (rule 5.8.1). Time O(n log n) in the waiting pods
// that come to belong elsewhere, else O(log n).
func (q *Queue) PutGroup(g *outrank.PodGroup) {
	if q.groups == nil || g == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()

	leaf := q.groups.leafOf(g.Key())
	before := leaf.group
	leaf.group = g
	q.refresh(groupID{key: g.Key()})

	// The pods belong to the group itself or to the root above it, which only its parent decides.
	if before == nil || before.ParentKey() != g.ParentKey() {
		q.regroup(g.Key())
	}
}

// RemoveGroup tells the queue that a group is gone. Its waiting pods are incomplete from then on. A group of
// the same name with another UID stays. Time O(n log n) in the group's waiting pods.
func (q *Queue) RemoveGroup(g *outrank.PodGroup) {
	if q.groups == nil || g == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()

	leaf := q.groups.leaves[g.Key()]
	if leaf == nil || leaf.group == nil || anotherUID(leaf.group.UID, g.UID) {
		return
	}
	leaf.group = nil
	q.regroup(g.Key())
	q.groups.tidy(g.Key())
}

// PutComposite tells the queue of a composite group, or of a newer version of it, like PutGroup for a group. It
// has no effect where composite groups are not queued. Time O(m + n log n) for m groups that are known or named
// by pods, and n waiting pods that come to belong elsewhere.
func (q *Queue) PutComposite(g *outrank.CompositePodGroup) {
	if q.groups == nil || !q.groups.trees || g == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()

	before := q.groups.composites[g.Key()]
	q.groups.composites[g.Key()] = g
	q.refresh(groupID{true, g.Key()})

	// Any group may be below this one, so all are looked at.
	if before == nil || before.ParentKey() != g.ParentKey() {
		q.regroup(slices.Collect(maps.Keys(q.groups.leaves))...)
	}
}

// RemoveComposite tells the queue that a composite group is gone. The waiting pods of its tree
// are incomplete from then on. A group of the same name with another UID stays. It takes as long as
// PutComposite.
func (q *Queue) RemoveComposite(g *outrank.CompositePodGroup) {
	if q.groups == nil || g == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if known := q.groups.composites[g.Key()]; known == nil || anotherUID(known.UID, g.UID) {
		return
	}
	delete(q.groups.composites, g.Key())
	q.regroup(slices.Collect(maps.Keys(q.groups.leaves))...)
}

// anotherUID reports whether two UIDs belong to different objects. An empty UID is not known, and matches any.
func anotherUID(a, b string) bool { return a != b && a != "" && b != "" }

// AddAttemptedGroup ends the attempt with a popped group that has found places for enough of its pods
// (upstream's AddAttemptedPodGroupIfNeeded). The caller deals with the members first: it puts back those
// that could not be placed, each with its own entry and AddUnschedulableIfNotPresent; those that were placed
// are Done, now or once they are bound. The pods that wait for the group then go back to active as a group.
// It keeps its place in the order if a member of this attempt is among them (rules 5.8.7 to 5.8.9).
//
// For a group that found no place, AddUnschedulableIfNotPresent is called instead, with the group's entry
// and after its members were put back. The group goes to backoff, whatever has happened meanwhile.
//
// A group without pods that wait for it leaves the queue. An entry of an attempt that is over changes
// nothing; the error then wraps [ErrNotInFlight]. Time O(n log n) in the pods that wait.
func (q *Queue) AddAttemptedGroup(e Entry, now time.Time) error {
	if q == nil {
		return errNoQueue
	}
	if e.Group == nil {
		return &outrank.InputError{Problems: []outrank.Problem{{Object: "queue", Field: "AddAttemptedGroup", Text: "the entry is not that of a group"}}}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	it, err := q.attempted(&e)
	if it == nil {
		return err
	}

	// Earlier failures are forgotten. The group keeps its time if one of the pods that wait was tried in
	// this attempt (rule 5.8.7).
	it.Refusals, it.Errors = 0, 0
	it.BackoffEnd = time.Time{}
	waiting := it.waiting().items
	if !slices.ContainsFunc(waiting, func(m *item) bool { return m.Cycle == it.Cycle }) {
		it.Enqueued = now
	}
	q.push(it, active)
	return nil
}

// addRefusedGroup ends the attempt with a group that found no place. If the entry names no filter, the
// attempt ended in an error (rule 5.8.8).
func (q *Queue) addRefusedGroup(e *Entry, now time.Time) error {
	it, err := q.attempted(e)
	if it == nil {
		return err
	}

	it.Enqueued = now
	if len(e.FailedFilters)+len(e.PendingFilters) > 0 {
		it.Refusals, it.Errors = it.Refusals+1, 0
	} else {
		it.Errors++
	}

	// Nothing cuts the backoff of a group short, whatever it failed with. So it goes to errorBackoff, which
	// early pops pass over.
	it.BackoffEnd = q.config.backoffEndUpTo(now, &it.Entry, q.config.mostBackoffOf(it.size()))
	q.push(it, errorBackoff)
	return nil
}

// attempted ends the attempt with a group and returns the group's item, which is then in no pool. A group
// without waiting pods leaves the queue; both results are nil for it.
func (q *Queue) attempted(e *Entry) (*item, error) {
	it := q.groups.attempt(e)
	if it == nil {
		return nil, fmt.Errorf("%s: attempt %d: %w", e.Group.text(), e.Cycle, ErrNotInFlight)
	}

	q.groups.back(it)
	if it.size() == 0 {
		delete(q.groups.inside, it.group.id)
		return nil, nil
	}
	it.flushed, q.why = time.Time{}, attemptFailure
	return it, nil
}
