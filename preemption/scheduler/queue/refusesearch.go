package queue

import (
	"slices"
)

// search finds the refused items of a pool, up to the first item that is not refused. Classes without a known
// answer are asked in the order of the pool, and none is asked about an item behind the stop, as [Class]
// promises.
func (s *batchRefusal) search(h *heap) {
	s.known, s.unknown = s.known[:0], s.unknown[:0]
	s.walk(h, 0)

	slices.SortFunc(s.unknown, func(a, b unknownItem) int { return h.order(a.it, b.it) })
	for _, x := range s.unknown {
		if s.behind(h, x.it) {
			break
		}
		filters, ok := refusalOf(s.core.classOf(x.it, s.refusing), x.it.Pod)
		if !ok {
			s.stop = x.it
			break
		}
		s.learned(&x, filters)
	}
	s.sortIn(h)

	// The stop may have moved forward since an item became known, so every item is compared with it now.
	for _, x := range s.known {
		if !s.behind(h, x.it) {
			s.cut(h, &x)
			s.refused = append(s.refused, x)
		}
	}
}

// walk looks at the items of a heap from the top while they may be refused. An item that may not be
// refused becomes the stop. No item of a heap is before the items above it in the order, so walk need not
// go below the stop, nor below any item behind it.
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

// mayRefuse adds an item to known or unknown, and reports whether it may be refused.
func (s *batchRefusal) mayRefuse(it *item) bool {
	// A batch of several classes is taken to be refused with the same filters as last time. Each class that
	// may answer differently by now goes to unknown as well; if it does, learned takes its pods out.
	if it.members != nil && len(it.members.list) > 1 {
		s.known = append(s.known, refusedItem{it: it, filters: it.FailedFilters})
		for i := range it.members.list {
			if p := &it.members.list[i]; !p.refusesStill(it) {
				s.unknown = append(s.unknown, unknownItem{s.headOf(it, p), it})
			}
		}
		return true
	}

	class := s.core.classOf(it, s.refusing)
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

// refusesStill reports whether a class is known to refuse with the same filters as last time.
func (p *batchPart) refusesStill(batch *item) bool {
	filters, ok := p.class.Known()
	return ok && slices.Equal(filters, batch.FailedFilters)
}

// headOf returns an item that stands for the first pod of a class in a batch. It is only for comparisons
// during the call.
func (s *batchRefusal) headOf(batch *item, p *batchPart) *item {
	if s.used == len(s.heads) {
		s.heads = append(s.heads, new(item))
	}
	head := s.heads[s.used]
	s.used++

	head.Entry, head.pool = batch.Entry, batch.pool
	head.class, head.Pod = p.class, p.head.Pod
	return head
}

// learned notes the answer of a class. If its filters are not those of the batch, the pods of the class
// leave the batch for an item of their own.
func (s *batchRefusal) learned(x *unknownItem, filters []string) {
	batch := x.batch
	switch {
	case batch == nil:
		s.known = append(s.known, refusedItem{it: x.it, filters: filters})
	case slices.Equal(filters, batch.FailedFilters):
		// The pods stay in their batch.
	case len(batch.members.list) == 1:
		// All other classes have left the batch, so this class alone decides its filters.
		at := slices.IndexFunc(s.known, func(y refusedItem) bool { return y.it == batch })
		s.known[at].filters = filters
	default:
		s.known = append(s.known, refusedItem{it: s.part(batch, s.core.byClass[x.it.class]), filters: filters})
	}
}

// part moves the pods of one class out of a batch, into an item of their own.
func (s *batchRefusal) part(batch *item, class *classBatches) *item {
	members := batch.members
	at, _ := members.find(class)
	own := &item{Entry: batch.Entry, pool: batch.pool, due: batch.due, batchState: batchState{run: batch.run}}
	s.core.enlist(own, partsOf([]batchPart{members.list[at]}, members.uncounted))
	own.Pod = own.members.head.Pod

	s.core.unlist(class, batch)
	batch.members = partsOf(slices.Concat(members.list[:at], members.list[at+1:]), members.uncounted)
	batch.Pod = batch.members.head.Pod
	s.parted = append(s.parted, own)
	return own
}

// sortIn sorts the parted items into their pool, which counts their pods already. Restoring the heap also
// moves the batches whose head has changed because pods left them.
func (s *batchRefusal) sortIn(h *heap) {
	if len(s.parted) > 0 {
		h.items = append(h.items, s.parted...)
		h.restore()
		clear(s.parted)
		s.parted = s.parted[:0]
	}
}

// cut splits a batch at the stop, because only the members before the stop are refused.
func (s *batchRefusal) cut(h *heap, x *refusedItem) {
	x.members = x.it.members
	if x.members == nil || s.stop == nil {
		return
	}

	// The pool's order tells pods of one item apart by identity alone. So only an item that is equal to the
	// stop in all other keys can have pods on both sides of it.
	a, b := portionOf(x.it, h), portionOf(s.stop, h)
	if a.compare(&b) == 0 {
		x.members, x.rest = x.members.split(s.stop)
	}
}
