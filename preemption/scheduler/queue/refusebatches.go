package queue

import (
	"slices"
	"time"
)

// Refuse makes the attempts that are known to fail. While the class of the pod that would be popped next
// refuses, the pod is popped and put back with the filters of the class. Everything is then as if the caller
// had called [Queue.TryPop] and [Queue.AddUnschedulableIfNotPresent] for one pod after another, all at this
// time. An empty list of filters refuses nothing, and no pod is refused twice in one call.
//
// If Gates, Compare and Helps of the configuration are not set, pods that were refused together are kept
// together as one item. Time is then linear in the classes and the single pods that are refused, and not in all
// pods. Otherwise, and if Most is set, it is O(log n) for each attempt.
//
// It returns the number of attempts, the number of attempts with fresh pods
// ([Refusing].Since), and the number of the last attempt, zero if there was none.
func (q *Queue) Refuse(now time.Time, r Refusing) (attempts, fresh int, last int64) {
	done := q.refuse(now, r)
	return done.attempts, done.fresh, done.last
}

func (q *Queue) refuse(now time.Time, r Refusing) refusals {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.activateDue(now)

	// If refusing whole batches could exceed the caller's bounds, refuseMany does nothing. The pods are then
	// refused one by one, exactly up to the bound.
	if q.batching && r.Most == 0 {
		if out, ok := q.batchRefusal.refuseMany(&q.core, now, &r); ok {
			return out
		}
	}
	return q.refuseEach(now, &r, q.early, func(it *item) { q.putBack(it, now) })
}

// refuseMany is refuseEach for whole batches. It refuses nothing, and ok is false, if one of the pods is not
// fresh or if there are more of them than [Refusing.MostFresh].
func (s *batchRefusal) refuseMany(c *core, now time.Time, r *Refusing) (out refusals, ok bool) {
	// In most calls the first pod is not refused, which shows without any preparation.
	head := c.first(c.early)
	if head == nil {
		return refusals{}, true
	}
	if _, refused := c.refusal(head, r); !refused {
		return refusals{}, true
	}

	// Pods in backoff are popped after all active ones (rule 5.3.3), so they are searched only if no active
	// pod stops the call.
	defer s.release()
	s.core, s.refusing, s.now = c, r, now
	s.search(&c.pools[active])
	fromActive := len(s.refused)
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
		s.commit(fromActive)
	}
	return s.out, true
}

// commit refuses the items that were found. The first fromActive of them are active, the others in backoff.
func (s *batchRefusal) commit(fromActive int) {
	c := s.core
	s.number()

	// A pod that leaves its backoff early counts as one that entered active, too.
	for i := range s.refused[fromActive:] {
		c.arrive(active, earlyPop, arrivals{pods: uint64(s.refused[fromActive+i].size())})
	}
	c.arrive(unschedulable, attemptFailure, arrivals{pods: uint64(s.out.attempts)})

	s.takeOut(&c.pools[active], s.refused[:fromActive])
	s.takeOut(&c.pools[backoff], s.refused[fromActive:])
	s.gatherAll()
	for i := range s.results {
		s.note(&s.results[i])
		c.pools[unschedulable].push(s.results[i].it)
	}
}

// number gives the attempts their numbers, as a run. It must be called before the items leave their pools,
// because the run records the keys that their pool sorts them by.
func (s *batchRefusal) number() {
	c := s.core
	s.run = &refusalRun{first: c.cycle + 1, portions: make([]portion, 0, len(s.refused))}
	c.cycle += int64(s.out.attempts)
	s.run.last, s.out.last = c.cycle, c.cycle

	// refuseMany has made sure that all of them are fresh.
	s.out.fresh = s.out.attempts
	for i := range s.refused {
		x := &s.refused[i]
		p := portionOf(x.it, &c.pools[x.it.pool])
		p.members = x.members
		s.run.portions = append(s.run.portions, p)
	}
}

// takeOut takes refused pods out of their pool. A batch with members that are not refused stays in it.
func (s *batchRefusal) takeOut(h *heap, refused []refusedItem) {
	if len(refused) == 0 {
		return
	}
	for i := range refused {
		x := &refused[i]
		h.count -= x.size()
		if x.rest == nil {
			x.it.pool = poolCount // marks it for the deletion below
			continue
		}
		x.it.members, x.it.Pod = x.rest, x.rest.head.Pod
	}
	h.items = slices.DeleteFunc(h.items, func(it *item) bool { return it.pool == poolCount })
	h.restore()
}
