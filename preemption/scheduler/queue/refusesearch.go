package queue

import (
	"slices"
)

// search finds the refused items of a pool, up to the first that is not refused. It looks at
// none behind that one, and asks classes without a known answer in the order of the pool.
func (s *batchRefusal) search(h *heap) {
	s.known, s.unknown = s.known[:0], s.unknown[:0]
	s.walk(h, 0)
	slices.SortFunc(s.unknown, func(a, b unknownItem) int { return h.order(a.it, b.it) })
	for _, x := range s.unknown {
		if s.behind(h, x.it) {
			break
		}
		filters, ok := refusalOf(s.core.classOf(x.it, s.r), x.it.Pod)
		if !ok {
			s.stop = x.it
			break
		}
		s.learned(&x, filters)
	}
	s.sortIn(h)
	for _, x := range s.known {
		if !s.behind(h, x.it) {
			s.cut(h, &x)
			s.refused = append(s.refused, x)
		}
	}
}

// walk looks at the items of a heap from the top as long as they may be refused. The first
// one that may not be refused becomes the stop.
func (s *batchRefusal) walk(h *heap, at int) {
	if at >= len(h.items) || s.behind(h, h.items[at]) {
		return
	}
	if !s.mayRefuse(h.items[at]) {
		s.stop = h.items[at]
		return
	}
	s.walk(h, 2*at+1)
	s.walk(h, 2*at+2)
}

// mayRefuse puts an item into known or unknown, and reports whether it may be refused.
func (s *batchRefusal) mayRefuse(it *item) bool {
	if it.batched.members != nil && len(it.batched.members.list) > 1 {
		s.known = append(s.known, refusedItem{it: it, filters: it.FailedFilters})
		for i := range it.batched.members.list {
			if p := &it.batched.members.list[i]; !p.refusesStill(it) {
				s.unknown = append(s.unknown, unknownItem{s.headOf(it, p), it})
			}
		}
		return true
	}
	class := s.core.classOf(it, s.r)
	if class == nil {
		return false
	}
	if filters, ok := class.Known(); ok && len(filters) > 0 {
		s.known = append(s.known, refusedItem{it: it, filters: filters})
	} else {
		s.unknown = append(s.unknown, unknownItem{it: it})
	}
	return true
}

// refusesStill reports whether a class is known to refuse as it did the last time.
func (p *batchPart) refusesStill(batch *item) bool {
	filters, ok := p.classBatches.class.Known()
	return ok && slices.Equal(filters, batch.FailedFilters)
}

// headOf returns an item for the first pod of a class in a batch, to be compared
// with others during the call.
func (s *batchRefusal) headOf(batch *item, p *batchPart) *item {
	if s.used == len(s.heads) {
		s.heads = append(s.heads, new(item))
	}
	head := s.heads[s.used]
	s.used++
	head.Entry, head.pool, head.batched.class = batch.Entry, batch.pool, p.classBatches.class
	head.Pod = p.head.Pod
	return head
}

// learned notes the answer of a class. The pods of that class leave their batch for an item
// of their own if their filters are not those of the batch.
func (s *batchRefusal) learned(x *unknownItem, filters []string) {
	batch := x.batch
	switch {
	case batch == nil:
		s.known = append(s.known, refusedItem{it: x.it, filters: filters})
	case slices.Equal(filters, batch.FailedFilters):
	case len(batch.batched.members.list) == 1:
		at := slices.IndexFunc(s.known, func(y refusedItem) bool { return y.it == batch })
		s.known[at].filters = filters
	default:
		s.known = append(s.known, refusedItem{it: s.part(batch, s.core.byClass[x.it.batched.class]), filters: filters})
	}
}

// part moves the pods of one class out of a batch, into an item of their own.
func (s *batchRefusal) part(batch *item, r *classBatches) *item {
	at, _ := batch.batched.members.find(r)
	own := &item{Entry: batch.Entry, pool: batch.pool, due: batch.due, batched: batchState{run: batch.batched.run}}
	s.core.enlist(own, partsOf([]batchPart{batch.batched.members.list[at]}, batch.batched.members.more))
	own.Pod = own.batched.members.head.Pod
	s.core.unlist(r, batch)
	batch.batched.members = partsOf(slices.Concat(batch.batched.members.list[:at], batch.batched.members.list[at+1:]), batch.batched.members.more)
	batch.Pod = batch.batched.members.head.Pod
	s.parted = append(s.parted, own)
	return own
}

// sortIn sorts the parted items into their pool.
func (s *batchRefusal) sortIn(h *heap) {
	if len(s.parted) > 0 {
		h.items = append(h.items, s.parted...)
		h.restore()
		clear(s.parted)
		s.parted = s.parted[:0]
	}
}

// cut splits a batch at the stop: members after the stop stay where they are.
func (s *batchRefusal) cut(h *heap, x *refusedItem) {
	x.members = x.it.batched.members
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
