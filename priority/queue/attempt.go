package queue

import (
	"context"
	"fmt"
)

// flight gives the item whose attempt the entry is of, nil if it is over.
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

// returning finds the attempt that an entry puts back. If the pod was updated
// meanwhile, that version is newer than the entry's.
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

// pop begins an attempt with the first active pod. The filters go to the
// caller, who may write to them.
func (c *core) pop() (Entry, bool) {
	it := c.pools[active].head()
	if it == nil {
		return Entry{}, false
	}
	c.pools[active].remove(it)
	c.cycle++
	it.Attempts, it.Cycle = it.Attempts+1, c.cycle
	it.FailedFilters, it.moved, it.updated = nil, false, false
	c.push(it, inFlight)
	return it.Entry, true
}

// Pop waits until a pod is active, the queue is closed ([ErrClosed]) or the
// context ends (its error), and begins an attempt with the first active pod. A
// context that has ended gets none. Who of several gets a pod is not settled.
// Taking it is O(log n).
func (c *core) Pop(ctx context.Context) (Entry, error) {
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

// take pops, or tells what to wait for before asking again.
func (c *core) take() (Entry, <-chan struct{}, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.pop(); ok {
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

// ring wakes all who wait. They find the queue as the operation under way
// leaves it, because they need its lock.
func (c *core) ring() {
	if c.wake != nil {
		close(c.wake)
		c.wake = nil
	}
}

// Close ends all waiting, now and later: Pop still gives what is active, and
// then [ErrClosed]. Everything else works on.
func (c *core) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.ring()
}
