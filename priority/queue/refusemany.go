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
	unknown        []unknownItem
	// parted are items with pods that were in a crowd before and are answered
	// otherwise than the rest; they are yet to be sorted in.
	parted []*item
	// heads are used again; so many are in use.
	heads []*item
	used  int
	out   Refusals
	run   *refusalRun
	// results are the items as they go back, found by class and step of the backoff.
	results []result
	found   map[resultKey]int
}

// refusedItem is an item of which some pods are refused: itself if it is a single
// one, or the members.
type refusedItem struct {
	it            *item
	members, rest *crowdParts
	filters       []string
	moved         bool // members are in another crowd from now on
}

func (x *refusedItem) size() int {
	if x.members == nil {
		return 1
	}
	return x.members.size
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
	for _, it := range s.heads[:s.used] {
		*it = item{}
	}
	clear(s.found)
	*s = sweep{refused: s.refused[:0], known: s.known[:0], unknown: s.unknown[:0], parted: s.parted[:0], heads: s.heads, results: s.results[:0], found: s.found}
}

// fresh reports whether the item's pods were not tried since the attempt that
// counts.
func (s *sweep) fresh(it *item) bool {
	if it.run != nil {
		return it.run.last <= s.r.Since
	}
	return it.Cycle <= s.r.Since
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
	for i := range s.refused[between:] {
		q.arrive(active, earlyPop, arrivals{pods: uint64(s.refused[between+i].size())})
	}
	q.arrive(unschedulable, attemptFailure, arrivals{pods: uint64(s.out.Attempts)})
	s.takeOut(&q.pools[active], s.refused[:between])
	s.takeOut(&q.pools[backoff], s.refused[between:])
	s.gatherAll()
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
		x.it.members, x.it.Pod = x.rest, x.rest.head.Pod
	}
	h.items = slices.DeleteFunc(h.items, func(it *item) bool { return it.pool == poolCount })
	h.restore()
}
