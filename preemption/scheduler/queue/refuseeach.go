package queue

import (
	"time"

	"github.com/outrank-go/outrank"
)

// classOf returns the class of the item's first pod.
func (c *core) classOf(it *item, r *Refusing) Class {
	if it.group != nil {
		return nil
	}
	if it.batched.members != nil {
		return it.batched.members.head.batched.class
	}
	if it.batched.class == nil && r.Class != nil && !wantsResize(&c.rules, it.Pod) {
		it.batched.class = r.Class(it.Pod)
	}
	return it.batched.class
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

// lastCycle returns the number of the last attempt with the item's first pod.
func (c *core) lastCycle(it *item) int64 {
	if it.batched.members != nil {
		return it.batched.run.cycleOf(it.batched.members.head)
	}
	return it.cycle()
}

// refuseEach refuses one pod after another. mu is held.
func (c *core) refuseEach(now time.Time, r *Refusing, early bool, putBack func(*item)) (out refusals) {
	begun := c.cycle
	for (r.Most == 0 || out.attempts < r.Most) && out.fresh < r.MostFresh {
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
		e, _ := c.pop(early)
		e.FailedFilters = filters
		it = c.items[keyOf(e.Pod)]
		it.batched.class = class
		it.failed(&e, now)
		putBack(it)
		class.Refused(1)
		out.attempts, out.last = out.attempts+1, e.Cycle
	}
	return out
}
