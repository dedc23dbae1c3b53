package queue

import (
	"fmt"
)

// flight returns the item whose attempt the entry belongs to, nil if the attempt is
// over.
func (c *core) flight(e *Entry) *item {
	if it := c.find(e.Pod); it != nil && it.pool == inFlight && it.Cycle == e.Cycle {
		return it
	}
	return nil
}

// returning returns the item whose attempt an entry ends. If the pod was updated
// meanwhile, that version is newer than the entry's and stays.
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

// pop begins an attempt with the first pod. mu is held.
func (c *core) pop(early bool) (Entry, bool) {
	it := c.first(early)
	if it == nil {
		return Entry{}, false
	}
	if it.group != nil {
		return c.popGroup(it), true
	}
	if it.batched.members != nil {
		batch := it
		it = batch.batched.members.head
		c.leave(batch, it)
	} else {
		c.pools[it.pool].remove(it)
	}
	if it.pool == backoff {
		c.arrive(active, earlyPop, arrivals{pods: 1})
	}
	it.batched.run, it.batched.class = nil, nil
	c.movedSince = false
	c.cycle++
	it.Attempts, it.Cycle = it.Attempts+1, c.cycle
	it.FailedFilters, it.PendingFilters = nil, nil
	it.moved, it.updated = false, false
	c.push(it, inFlight)
	return it.Entry, true
}
