package queue

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// Class is what pods have in common that whoever places them cannot tell apart:
// where an attempt with one of them comes to nothing, so does one with any other,
// and it fails with the same filters, until something changes. Pods of one class
// have the same priority and the same terms of affinity and, where they have
// terms, the same namespace. Two classes are the same if they are equal. The
// queue calls the methods while it is locked: they must not call it.
type Class interface {
	// Known returns the filters that an attempt would fail with now, if that is
	// known without looking; not ok where it is not, or where an attempt may come
	// to something.
	Known() (filters []string, ok bool)
	// Refuses looks, for the sake of a pod of the class; not ok where an attempt
	// has to be made. It is called for the pods that Known says nothing of, in the
	// order in which they would be popped.
	Refuses(pod *outrank.Pod) (filters []string, ok bool)
	// Refused is told of attempts with pods of the class that were refused.
	Refused(attempts int)
}

// Refusing says how far [Queue.Refuse] goes.
type Refusing struct {
	// Class returns the class of a pod, nil for one that an attempt has to be made
	// with. A class stays with the pod until the pod is popped or replaced.
	Class func(pod *outrank.Pod) Class
	// Most is how many attempts there are at most; zero means any number.
	Most int
	// Since is the number of an attempt, 0 for the beginning, and MostFresh how
	// many pods there are at most whose last attempt was this one or an earlier
	// one. After them it stops.
	Since     int64
	MostFresh int
}

// Refusals is what was refused.
type Refusals struct {
	// Attempts is how many attempts there were, Fresh how many of them were with
	// pods that had not been tried since [Refusing.Since].
	Attempts, Fresh int
	// Last is the number of the last attempt; zero if there was none.
	Last int64
}

// Refuse makes the attempts that are known to come to nothing: as long as the pod
// to be popped first is of a class that refuses, it is popped and put back with
// the filters of the class. Everything is then as if the caller had called
// [Queue.TryPop] and [Queue.AddUnschedulableIfNotPresent] for one pod after
// another, all at this time. An empty list of filters refuses nothing, and no pod
// is refused twice in one call.
//
// Where the queue has no Gates, and neither Compare nor Helps of the caller, pods
// that were refused together are kept together, up to so many classes, and time is
// that of the classes and of the single pods that are refused, not of all pods.
// Otherwise, and where Most is set, it is O(log n) for each attempt.
func (q *Queue) Refuse(now time.Time, r Refusing) Refusals {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.activateDue(now)
	if q.crowded && r.Most == 0 {
		if out, ok := q.refuseMany(now, &r); ok {
			return out
		}
	}
	return q.refuseEach(now, &r, q.early, func(it *item) { q.putBack(it, now) })
}

// Refuse makes the attempts that are known to come to nothing, as that of [Queue]
// does, one by one. Time O(log n) for each.
func (q *FIFO) Refuse(now time.Time, r Refusing) Refusals {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.refuseEach(now, &r, false, func(it *item) { q.why = attemptFailure; q.move(it, active) })
}

// refuseEach refuses one pod after another. mu is held.
func (c *core) refuseEach(now time.Time, r *Refusing, early bool, putBack func(*item)) (out Refusals) {
	begun := c.cycle
	for (r.Most == 0 || out.Attempts < r.Most) && out.Fresh < r.MostFresh {
		it := c.first(early)
		if it == nil || c.lastCycle(it) > begun {
			break
		}
		filters, ok := c.refusal(it, r)
		if !ok {
			break
		}
		class := c.classOf(it, r)
		if c.lastCycle(it) <= r.Since {
			out.Fresh++
		}
		e, _ := c.pop(early)
		e.FailedFilters = filters
		it = c.items[keyOf(e.Pod)]
		it.class = class
		it.failed(&e, now)
		putBack(it)
		class.Refused(1)
		out.Attempts, out.Last = out.Attempts+1, e.Cycle
	}
	return out
}

// refusal returns the filters that attempts with the item fail with.
func (c *core) refusal(it *item, r *Refusing) ([]string, bool) {
	class := c.classOf(it, r)
	if class == nil {
		return nil, false
	}
	return refusalOf(class, it.Pod)
}

func refusalOf(class Class, pod *outrank.Pod) ([]string, bool) {
	filters, ok := class.Known()
	if !ok {
		filters, ok = class.Refuses(pod)
	}
	return filters, ok && len(filters) > 0
}

// classOf returns the class of the item's first pod.
func (c *core) classOf(it *item, r *Refusing) Class {
	if it.group != nil {
		return nil
	}
	if it.members != nil {
		return it.members.head.class
	}
	if it.class == nil && r.Class != nil && !wantsResize(&c.rules, it.Pod) {
		it.class = r.Class(it.Pod)
	}
	return it.class
}

// lastCycle returns the number of the last attempt with the item's first pod.
func (c *core) lastCycle(it *item) int64 {
	if it.members != nil {
		return it.run.cycleOf(it.members.head)
	}
	return it.cycle()
}

// sortedFilters returns filters sorted and each once. The slice is only read.
func sortedFilters(filters []string) []string {
	for i := 1; i < len(filters); i++ {
		if filters[i-1] >= filters[i] {
			return distinct(filters)
		}
	}
	return slices.Clip(filters)
}
