package queue

import (
	"fmt"
)

// flight returns the item of a pod in flight if the entry belongs to its attempt. It is nil if the attempt is
// over: the pod is gone, or was popped again since.
func (c *core) flight(e *Entry) *item {
	if it := c.find(e.Pod); it != nil && it.pool == inFlight && it.Cycle == e.Cycle {
		return it
	}
	return nil
}

// returning returns the item whose attempt an entry ends. The item takes over the entry's version of
// the pod, unless the pod was updated during the attempt, which made the item's version newer (rule 5.5.4).
func (c *core) returning(e *Entry) (*item, error) {
	if e.Pod == nil {
		return nil, errNoPod("AddUnschedulableIfNotPresent")
	}
	it := c.flight(e)
	if it == nil {
		return nil, fmt.Errorf("pod %s: attempt %d: %w", e.Pod.Key(), e.Cycle, ErrNotInFlight)
	}
	if !it.updated {
		it.Pod = e.Pod
	}
	return it, nil
}

// pop begins an attempt with the first pod or group. The result is false if there is none to be popped. mu is
// held.
func (c *core) pop(early bool) (Entry, bool) {
	it := c.first(early)
	if it == nil {
		return Entry{}, false
	}
	if it.group != nil {
		return c.popGroup(it), true
	}

	// Of a batch only the first member is popped; the rest stays where it is.
	if it.members != nil {
		batch := it
		it = batch.members.head
		c.leave(batch, it)
	} else {
		c.pools[it.pool].remove(it)
	}

	// A pod that is let out of its backoff early counts as one that became active (rule 5.3.3).
	if it.pool == backoff {
		c.arrive(active, earlyPop, arrivals{pods: 1})
	}

	// What is known of the last attempt does not hold for this one. That includes the class, which is
	// asked for anew.
	it.run, it.class = nil, nil
	it.FailedFilters, it.PendingFilters = nil, nil
	it.moved, it.updated = false, false
	c.movedSince = false

	c.cycle++
	it.Attempts, it.Cycle = it.Attempts+1, c.cycle
	c.push(it, inFlight)
	return it.Entry, true
}
