package queue

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// PutGroup tells the queue of a group of pods, or of a newer version of it. Pods that
// waited for it leave the incomplete ones (rule 5.8.5). Releases and feature gates
// without groups in the queue (rule 5.8.1) ignore this, as any queue does a nil group.
// Time O(n log n) in the waiting pods that come to belong elsewhere, else O(log n).
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
	if before == nil || before.ParentKey() != g.ParentKey() {
		q.regroup(g.Key())
	}
}

// RemoveGroup tells it that a group is gone. Its pods that wait are incomplete from
// then on. A group of the same name with another UID stays. Time O(n log n) in the
// group's waiting pods.
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

// PutComposite tells the queue of a composite group, or of a newer version of it, as
// PutGroup does of a group. It has no effect where composite groups are not queued.
// Time O(m + n log n) in the groups that are known or that pods name, and the waiting
// pods that come to belong elsewhere.
func (q *Queue) PutComposite(g *outrank.CompositePodGroup) {
	if q.groups == nil || !q.groups.trees || g == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	before := q.groups.composites[g.Key()]
	q.groups.composites[g.Key()] = g
	q.refresh(groupID{true, g.Key()})
	if before == nil || before.ParentKey() != g.ParentKey() {
		q.regroup(slices.Collect(maps.Keys(q.groups.leaves))...)
	}
}

// RemoveComposite tells it that a composite group is gone. The waiting pods of the tree
// are incomplete from then on. A group of the same name with another UID stays. Time as
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

func anotherUID(a, b string) bool { return a != b && a != "" && b != "" }

// AddAttemptedGroup ends the attempt with a group, whose entry was popped, that has found places for
// enough of its pods; upstream's AddAttemptedPodGroupIfNeeded. Before that, the members that could not
// be placed are put back, each with its own entry and AddUnschedulableIfNotPresent, and wait for
// this; those that were placed are Done, now or once they are bound. What waits then goes back as a
// group to active, with its old place in the order if a member of this attempt is among it (rules
// 5.8.7 to 5.8.9).
//
// A group that has no place is put back with its own entry and AddUnschedulableIfNotPresent, once its
// members are: to backoff, whatever has happened meanwhile.
//
// Where nothing waits, nothing comes back. An attempt that is over changes nothing;
// the error then wraps [ErrNotInFlight]. Time O(n log n) in the pods that wait.
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
	again := slices.ContainsFunc(it.group.waiting.items, func(m *item) bool { return m.Cycle == it.Cycle })
	if it.Refusals, it.Errors, it.BackoffEnd = 0, 0, (time.Time{}); !again {
		it.Enqueued = now
	}
	q.push(it, active)
	return nil
}

// addRefusedGroup ends the attempt with a group that has no place, or whose attempt has failed.
func (q *Queue) addRefusedGroup(e *Entry, now time.Time) error {
	it, err := q.attempted(e)
	if it == nil {
		return err
	}
	if it.Enqueued = now; len(e.FailedFilters)+len(e.PendingFilters) > 0 {
		it.Refusals, it.Errors = it.Refusals+1, 0
	} else {
		it.Errors++
	}
	it.BackoffEnd = q.config.backoffEndUpTo(now, &it.Entry, q.config.mostBackoffOf(it.size()))
	q.push(it, errorBackoff)
	return nil
}

// attempted ends the attempt with a group, and returns what goes back; nil for nothing.
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
