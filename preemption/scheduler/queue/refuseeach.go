package queue

import (
	"time"

	"github.com/outrank-go/outrank"
)

// classOf returns the class of the item's first pod. It is nil if an attempt has to be made: for a group,
// which is decided as a whole, for a pod that waits for its resize, and where the caller says so.
func (c *core) classOf(it *item, r *Refusing) Class {
	if it.group != nil {
		return nil
	}
	if it.members != nil {
		return it.members.head.class
	}

	// The item keeps the answer, so that the caller is asked once between two attempts with a pod.
	if it.class == nil && r.Class != nil && !wantsResize(&c.rules, it.Pod) {
		it.class = r.Class(it.Pod)
	}
	return it.class
}

// refusal returns the filters that an attempt with the item's first pod fails with. The result is false if
// the attempt has to be made.
func (c *core) refusal(it *item, r *Refusing) ([]string, bool) {
	class := c.classOf(it, r)
	if class == nil {
		return nil, false
	}
	return refusalOf(class, it.Pod)
}

// refusalOf asks a class about one of its pods: first Known, and then Refuses. An empty list of
// filters refuses nothing.
func refusalOf(class Class, pod *outrank.Pod) ([]string, bool) {
	filters, ok := class.Known()
	if !ok {
		filters, ok = class.Refuses(pod)
	}
	return filters, ok && len(filters) > 0
}

// lastCycle returns the number of the last attempt with the item's first pod.
func (c *core) lastCycle(it *item) int64 {
	if it.members != nil {
		return it.run.cycleOf(it.members.head)
	}
	return it.cycle()
}

// refuseEach refuses one pod after another, with the same effect as pop and AddUnschedulableIfNotPresent.
// putBack puts a pod that did not fit back into the queue. mu is held.
func (c *core) refuseEach(now time.Time, r *Refusing, early bool, putBack func(*item)) (out refusals) {
	begun := c.cycle
	for (r.Most == 0 || out.attempts < r.Most) && out.fresh < r.MostFresh {
		// Some pods go straight back to active. An attempt since the call began tells that the pod was
		// refused in it already.
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
			out.fresh++
		}

		// If the item is a batch, pop takes its first member out, whose item is another one. pop also forgets
		// the class, which this pod keeps.
		e, _ := c.pop(early)
		e.FailedFilters = filters
		it = c.items[keyOf(e.Pod)]
		it.class = class
		it.failed(&e, now)
		putBack(it)
		class.Refused(1)
		out.attempts, out.last = out.attempts+1, e.Cycle
	}
	return out
}
