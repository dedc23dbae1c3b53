package queue

import (
	"slices"
	"time"
)

// sweep is one call of [Queue.Refuse] that refuses crowds as a whole.
type sweep struct {
	q    *Queue
	r    *Refusing
	now  time.Time
	stop *item // the first item that is not refused, nil for none
	// refused are the items with pods before stop; known and unknown are those of a
	// pool by what their classes say at first.
	refused, known []refusedItem
	unknown        []*item
	out            Refusals
	run            *refusalRun
	// results are the items as they go back, found by class and step of the backoff.
	results []result
	found   map[resultKey]int
}

// result is an item that goes back, with the step of its backoff.
type result struct {
	it      *item
	step    int
	filters []string
}

// refusedItem is an item of which some pods are refused: itself if it is a single
// one, or the members.
type refusedItem struct {
	it            *item
	members, rest *members
	filters       []string
}

func (x *refusedItem) size() int {
	if x.members == nil {
		return 1
	}
	return x.members.size
}

type resultKey struct {
	class Class
	step  int
}

// refuseMany is refuseEach for many pods at a time. It is not ok, and has done
// nothing, where a pod was tried since the attempt that counts, or there are more
// than may be.
func (q *Queue) refuseMany(now time.Time, r *Refusing) (out Refusals, ok bool) {
	head := q.first(q.early)
	if head == nil {
		return Refusals{}, true
	}
	if _, refused := q.refusal(head, r); !refused {
		return Refusals{}, true
	}
	s := &q.sweep
	defer s.release()
	s.q, s.r, s.now = q, r, now
	h := &q.pools[active]
	s.search(h)
	between := len(s.refused)
	if q.early && s.stop == nil {
		s.search(&q.pools[backoff])
	}
	for i := range s.refused {
		if !s.fresh(s.refused[i].it) {
			return Refusals{}, false
		}
		s.out.Attempts += s.refused[i].size()
	}
	if s.out.Attempts > r.MostFresh {
		return Refusals{}, false
	}
	if s.out.Attempts > 0 {
		s.commit(between)
	}
	return s.out, true
}

// release keeps the memory of a sweep for the next one, and nothing else.
func (s *sweep) release() {
	clear(s.refused)
	clear(s.known)
	clear(s.unknown)
	clear(s.results)
	clear(s.found)
	*s = sweep{refused: s.refused[:0], known: s.known[:0], unknown: s.unknown[:0], results: s.results[:0], found: s.found}
}

// fresh reports whether the item's pods were not tried since the attempt that
// counts.
func (s *sweep) fresh(it *item) bool {
	if it.run != nil {
		return it.run.last <= s.r.Since
	}
	return it.Cycle <= s.r.Since
}

// search finds the items of a pool that are refused, up to the first that is not.
// Those behind it are not looked at, and classes that nothing is known of are
// asked in order.
func (s *sweep) search(h *heap) {
	s.known, s.unknown = s.known[:0], s.unknown[:0]
	s.walk(h, 0, func(it *item) bool {
		if s.q.classOf(it, s.r) == nil {
			return false
		}
		if filters, ok := it.class.Known(); ok && len(filters) > 0 {
			s.known = append(s.known, refusedItem{it: it, filters: filters})
		} else {
			s.unknown = append(s.unknown, it)
		}
		return true
	})
	slices.SortFunc(s.unknown, h.order)
	for _, it := range s.unknown {
		if s.behind(h, it) {
			break
		}
		filters, ok := s.q.refusal(it, s.r)
		if !ok {
			s.stop = it
			break
		}
		s.known = append(s.known, refusedItem{it: it, filters: filters})
	}
	for _, x := range s.known {
		if !s.behind(h, x.it) {
			s.cut(h, &x)
			s.refused = append(s.refused, x)
		}
	}
}

// walk looks at the items of a heap from the top as long as they may be refused.
// One that may not be becomes the stop if it is before that.
func (s *sweep) walk(h *heap, at int, mayBe func(*item) bool) {
	if at >= len(h.items) || s.behind(h, h.items[at]) {
		return
	}
	if !mayBe(h.items[at]) {
		s.stop = h.items[at]
		return
	}
	s.walk(h, 2*at+1, mayBe)
	s.walk(h, 2*at+2, mayBe)
}

// behind reports whether an item is not before the stop.
func (s *sweep) behind(h *heap, it *item) bool {
	return s.stop != nil && h.order(it, s.stop) >= 0
}

// cut leaves the members of a crowd where they are that come after the stop.
func (s *sweep) cut(h *heap, x *refusedItem) {
	x.members = x.it.members
	if x.members == nil || s.stop == nil {
		return
	}
	// Only an item that is equal to the stop but for its identity has pods on
	// either side of it.
	a, b := portionOf(x.it, h), portionOf(s.stop, h)
	if a.compare(&b) == 0 {
		x.members, x.rest = x.members.split(s.stop)
	}
}

func portionOf(it *item, h *heap) portion {
	p := portion{priority: it.Pod.PriorityValue(), enqueued: it.Enqueued}
	if it.pool == backoff {
		p.backoff, p.backoffEnd = true, it.BackoffEnd
	}
	if it.members == nil {
		p.single = it
	}
	return p
}

// commit refuses what was found; those up to between are of the active pool.
func (s *sweep) commit(between int) {
	q := s.q
	s.run = &refusalRun{first: q.cycle + 1, portions: make([]portion, 0, len(s.refused))}
	q.cycle += int64(s.out.Attempts)
	s.run.last, s.out.Last, s.out.Fresh = q.cycle, q.cycle, s.out.Attempts
	for i := range s.refused {
		x := &s.refused[i]
		p := portionOf(x.it, &q.pools[x.it.pool])
		p.members = x.members
		s.run.portions = append(s.run.portions, p)
	}
	s.takeOut(&q.pools[active], s.refused[:between])
	s.takeOut(&q.pools[backoff], s.refused[between:])
	if s.found == nil {
		s.found = map[resultKey]int{}
	}
	for i := range s.refused {
		s.gather(&s.refused[i])
	}
	for i := range s.results {
		s.note(&s.results[i])
		q.pools[unschedulable].push(s.results[i].it)
	}
}

// takeOut takes refused pods out of their pool.
func (s *sweep) takeOut(h *heap, refused []refusedItem) {
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
		x.it.members, x.it.Pod = x.rest, x.rest.first().Pod
	}
	h.items = slices.DeleteFunc(h.items, func(it *item) bool { return it.pool == poolCount })
	h.restore()
}

// gather puts refused pods together with those of the same class and step.
func (s *sweep) gather(x *refusedItem) {
	q, it := s.q, x.it
	it.class.Refused(x.size())
	key := resultKey{it.class, min(it.Refusals+1, q.steps)}
	at, ok := s.found[key]
	if !ok {
		at = len(s.results)
		s.found[key] = at
		s.results = append(s.results, result{step: key.step, filters: x.filters})
	}
	to := &s.results[at]
	switch {
	case x.members == nil:
		it.Attempts, it.Refusals = it.Attempts+1, it.Refusals+1
		if !ok {
			to.it = it
			return
		}
		to.join(q, q.leaf(it))
	case ok:
		if x.rest == nil {
			q.forget(it)
		}
		to.join(q, x.members.plus(1))
	case x.rest == nil:
		to.it = it
		it.members = x.members.plus(1)
	default:
		to.it = &item{class: it.class, members: x.members.plus(1)}
		q.enlist(to.it)
	}
}

// join adds members to a result, which becomes a crowd if it is not one.
func (to *result) join(q *Queue, m *members) {
	if to.it.members == nil {
		to.it = q.crowdOf(to.it)
	}
	to.it.members = to.it.members.union(m)
}

// note writes what all pods of a result have in common.
func (s *sweep) note(to *result) {
	q, it := s.q, to.it
	it.run, it.pool, it.Gate, it.Errors = s.run, unschedulable, "", 0
	it.Enqueued, it.FailedFilters, it.PendingFilters = s.now, sortedFilters(to.filters), nil
	if it.members != nil {
		it.Pod, it.Refusals = it.members.first().Pod, to.step
	}
	q.delay(it, s.now)
}
