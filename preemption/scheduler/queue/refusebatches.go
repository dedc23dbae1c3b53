package queue

import (
	"slices"
	"time"
)

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
//
// It returns how many attempts there were, how many of them were with pods that had not been tried
// since [Refusing].Since, and the number of the last attempt; zero if there was none.
func (q *Queue) Refuse(now time.Time, r Refusing) (attempts, fresh int, last int64) {
	done := q.refuse(now, r)
	return done.attempts, done.fresh, done.last
}

func (q *Queue) refuse(now time.Time, r Refusing) refusals {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.activateDue(now)
	if q.batching && r.Most == 0 {
		if out, ok := q.batchRefusal.refuseMany(&q.core, now, &r); ok {
			return out
		}
	}
	return q.refuseEach(now, &r, q.early, func(it *item) { q.putBack(it, now) })
}

// refuseMany is refuseEach for many pods at a time. It does nothing and is not ok where a pod
// was tried since [Refusing.Since], or where there are more than [Refusing.MostFresh].
func (s *batchRefusal) refuseMany(c *core, now time.Time, r *Refusing) (out refusals, ok bool) {
	head := c.first(c.early)
	if head == nil {
		return refusals{}, true
	}
	if _, refused := c.refusal(head, r); !refused {
		return refusals{}, true
	}
	defer s.release()
	s.core, s.r, s.now = c, r, now
	s.search(&c.pools[active])
	between := len(s.refused)
	if c.early && s.stop == nil {
		s.search(&c.pools[backoff])
	}
	for i := range s.refused {
		if !s.fresh(s.refused[i].it) {
			return refusals{}, false
		}
		s.out.attempts += s.refused[i].size()
	}
	if s.out.attempts > r.MostFresh {
		return refusals{}, false
	}
	if s.out.attempts > 0 {
		s.commit(between)
	}
	return s.out, true
}

// commit refuses what was found. refused[:between] are of the active pool.
func (s *batchRefusal) commit(between int) {
	c := s.core
	s.run = &refusalRun{first: c.cycle + 1, portions: make([]portion, 0, len(s.refused))}
	c.cycle += int64(s.out.attempts)
	s.run.last, s.out.last, s.out.fresh = c.cycle, c.cycle, s.out.attempts
	for i := range s.refused {
		x := &s.refused[i]
		p := portionOf(x.it, &c.pools[x.it.pool])
		p.members = x.members
		s.run.portions = append(s.run.portions, p)
	}
	for i := range s.refused[between:] {
		c.arrive(active, earlyPop, arrivals{pods: uint64(s.refused[between+i].size())})
	}
	c.arrive(unschedulable, attemptFailure, arrivals{pods: uint64(s.out.attempts)})
	s.takeOut(&c.pools[active], s.refused[:between])
	s.takeOut(&c.pools[backoff], s.refused[between:])
	s.gatherAll()
	for i := range s.results {
		s.note(&s.results[i])
		c.pools[unschedulable].push(s.results[i].it)
	}
}

// takeOut takes refused pods out of their pool.
func (s *batchRefusal) takeOut(h *heap, refused []refusedItem) {
	if len(refused) == 0 {
		return
	}
	for i := range refused {
		x := &refused[i]
		if x.rest == nil {
			x.it.pool = poolCount // to be taken out
			h.count -= x.size()
			continue
		}
		h.count -= x.size()
		x.it.batched.members, x.it.Pod = x.rest, x.rest.head.Pod
	}
	h.items = slices.DeleteFunc(h.items, func(it *item) bool { return it.pool == poolCount })
	h.restore()
}
