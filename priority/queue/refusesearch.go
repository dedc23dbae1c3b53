package queue

import (
	"slices"
)

// search finds the items of a pool that are refused, up to the first that is not.
// Those behind it are not looked at, and classes that nothing is known of are
// asked in order.
func (s *sweep) search(h *heap) {
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

// walk looks at the items of a heap from the top as long as they may be refused.
// One that may not be becomes the stop if it is before that.
func (s *sweep) walk(h *heap, at int) {
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

// mayRefuse sorts an item by what its classes say at first, and reports whether it
// may be refused.
func (s *sweep) mayRefuse(it *item) bool {
	if it.members != nil && len(it.members.list) > 1 {
		s.known = append(s.known, refusedItem{it: it, filters: it.FailedFilters})
		for i := range it.members.list {
			if p := &it.members.list[i]; !p.refusesStill(it) {
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
func (p *crowdPart) refusesStill(crowd *item) bool {
	filters, ok := p.roster.class.Known()
	return ok && slices.Equal(filters, crowd.FailedFilters)
}

// headOf returns an item for the first pod of a class in a crowd, to be compared
// with others during the sweep.
func (s *sweep) headOf(crowd *item, p *crowdPart) *item {
	if s.used == len(s.heads) {
		s.heads = append(s.heads, new(item))
	}
	head := s.heads[s.used]
	s.used++
	head.Entry, head.pool, head.class = crowd.Entry, crowd.pool, p.roster.class
	head.Pod = p.head.Pod
	return head
}

// learned notes what pods are refused with that were asked about. A class of a crowd
// becomes an item of its own if that is not what the others are refused with.
func (s *sweep) learned(x *unknownItem, filters []string) {
	crowd := x.crowd
	switch {
	case crowd == nil:
		s.known = append(s.known, refusedItem{it: x.it, filters: filters})
	case slices.Equal(filters, crowd.FailedFilters):
	case len(crowd.members.list) == 1:
		at := slices.IndexFunc(s.known, func(y refusedItem) bool { return y.it == crowd })
		s.known[at].filters = filters
	default:
		s.known = append(s.known, refusedItem{it: s.part(crowd, s.core.rosters[x.it.class]), filters: filters})
	}
}

// part makes an item of its own of a class in a crowd.
func (s *sweep) part(crowd *item, r *roster) *item {
	at, _ := crowd.members.find(r)
	own := &item{Entry: crowd.Entry, pool: crowd.pool, due: crowd.due, run: crowd.run}
	s.core.enlist(own, partsOf([]crowdPart{crowd.members.list[at]}, crowd.members.more))
	own.Pod = own.members.head.Pod
	s.core.strike(r, crowd)
	crowd.members = partsOf(slices.Concat(crowd.members.list[:at], crowd.members.list[at+1:]), crowd.members.more)
	crowd.Pod = crowd.members.head.Pod
	s.parted = append(s.parted, own)
	return own
}

// sortIn sorts the parted items into their pool.
func (s *sweep) sortIn(h *heap) {
	if len(s.parted) > 0 {
		h.items = append(h.items, s.parted...)
		h.restore()
		clear(s.parted)
		s.parted = s.parted[:0]
	}
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
