package queue

import (
	"context"
	"time"

	"github.com/outrank-go/outrank"
)

// Pop waits until a pod can be popped or the context ends (its error), and begins an attempt with the
// first pod. A context that has ended gets no pod; [Queue.TryPop] still has what is left. Which of
// several waiting calls gets a pod is not defined. Taking it is O(log n).
func (q *Queue) Pop(ctx context.Context) (Entry, error) {
	if q == nil {
		return Entry{}, errNoQueue
	}
	switch {
	case ctx == nil:
		return Entry{}, &outrank.InputError{Problems: []outrank.Problem{{Object: "queue", Field: "Pop", Text: "the context is missing"}}}
	case q.items == nil:
		return Entry{}, errUnmade("Pop")
	}
	for {
		if err := ctx.Err(); err != nil {
			return Entry{}, err
		}
		e, wake := q.take()
		if wake == nil {
			return e, nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
		}
	}
}

// take pops, or returns a channel to wait for before asking again.
func (q *Queue) take() (Entry, <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e, ok := q.pop(q.early); ok {
		return e, nil
	}
	if q.wake == nil {
		q.wake = make(chan struct{})
	}
	return Entry{}, q.wake
}

// TryPop flushes, so that the pods that are due count, and takes the first active
// pod or, where there is none and backoff may end early, the first in backoff.
// Time O(log n) for each pod that is flushed or taken.
func (q *Queue) TryPop(now time.Time) (Entry, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.activateDue(now)
	return q.pop(q.early)
}

// NextReady returns when TryPop will have a pod if nothing else happens: now if a
// pod is active, due or to be popped early, else when the first backoff or time-out
// ends; a gate may then still hold a pod. A simulator on virtual time can jump there. Constant time.
func (q *Queue) NextReady(now time.Time) (time.Time, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.first(q.early) != nil {
		return now, true
	}
	var next time.Time
	found := false
	for p := range poolCount {
		it := q.pools[p].head()
		if it == nil {
			continue
		}
		if at, ok := q.dueAt(it); ok && (!found || at.Before(next)) {
			next, found = at, true
		}
	}
	if found && next.Before(now) {
		next = now
	}
	return next, found
}
