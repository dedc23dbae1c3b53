package queue

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
)

// flight returns the item whose attempt the entry belongs to, nil if the attempt is
// over.
func (c *core) flight(e *Entry) *item {
	if it := c.find(e.Pod); it != nil && it.pool == inFlight && it.Cycle == e.Cycle {
		return it
	}
	return nil
}

// Done ends an attempt for good. Time O(log n).
func (c *core) Done(e Entry) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	it := c.flight(&e)
	if it != nil {
		c.drop(it)
	}
	return it != nil
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
	if it.members != nil {
		crowd := it
		it = crowd.members.head
		c.leave(crowd, it)
	} else {
		c.pools[it.pool].remove(it)
	}
	if it.pool == backoff {
		c.arrive(active, earlyPop, arrivals{pods: 1})
	}
	it.run, it.class = nil, nil
	c.movedSince = false
	c.cycle++
	it.Attempts, it.Cycle = it.Attempts+1, c.cycle
	it.FailedFilters, it.PendingFilters = nil, nil
	it.moved, it.updated = false, false
	c.push(it, inFlight)
	return it.Entry, true
}

// Pop waits until a pod can be popped, the queue is closed ([ErrClosed]) or the
// context ends (its error), and begins an attempt with the first pod. A context
// that has ended gets no pod. Which of several waiting calls gets a pod is not
// defined. Taking it is O(log n).
func (c *core) Pop(ctx context.Context) (Entry, error) {
	switch {
	case ctx == nil:
		return Entry{}, &outrank.InputError{Problems: []outrank.Problem{{Object: "queue", Field: "Pop", Text: "the context is missing"}}}
	case c.items == nil:
		return Entry{}, errUnmade("Pop")
	}
	for {
		if err := ctx.Err(); err != nil {
			return Entry{}, err
		}
		e, wake, err := c.take()
		if wake == nil {
			return e, err
		}
		select {
		case <-wake:
		case <-ctx.Done():
		}
	}
}

// take pops, or returns a channel to wait for before asking again.
func (c *core) take() (Entry, <-chan struct{}, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// A queue that was closed comes to an end even if its pods fail for ever.
	if e, ok := c.pop(c.early && !c.closed); ok {
		return e, nil, nil
	}
	if c.closed {
		return Entry{}, nil, ErrClosed
	}
	if c.wake == nil {
		c.wake = make(chan struct{})
	}
	return Entry{}, c.wake, nil
}
