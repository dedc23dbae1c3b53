package queue

import (
	"context"
	"time"

	"github.com/outrank-go/outrank"
)

// Pop waits until a pod can be popped, and begins an attempt with the first pod. When the context ends it
// returns the context's error and no pod; [Queue.TryPop] still pops the pods that are left. Which of
// several waiting calls gets a pod is not defined. Time O(log n), apart from the wait.
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

	// After a wake-up another call may take the pod first, so this one asks until it has a pod.
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

// take pops an entry. If there is none, it returns the channel that is closed once there may be one.
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

// TryPop calls Flush, and then begins an attempt with the first active pod. If there is none and backoff
// may end early, it takes the first pod in backoff. The result is false if there is no such pod. Time
// O(log n) for each pod that is flushed or popped.
func (q *Queue) TryPop(now time.Time) (Entry, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.activateDue(now)
	return q.pop(q.early)
}

// NextReady returns the time at which TryPop will have a pod if nothing else happens: now if a
// pod is active, due or to be popped early, else the end of the first backoff or time-out. A gate may
// still hold the pod then. The result is false if no pod waits for a time. A simulator on virtual time can
// jump to this time. Constant time.
func (q *Queue) NextReady(now time.Time) (time.Time, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.first(q.early) != nil {
		return now, true
	}

	// The head of each pool is due first in it.
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
