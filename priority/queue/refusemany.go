package queue

import (
	"slices"
	"strconv"
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
	// parted are the items of the pool that lost members who are answered otherwise
	// than the rest, or consist of those; they are yet to be sorted in.
	parted []*item
	out    Refusals
	run    *refusalRun
	// results are the items as they go back, found by class and step of the backoff.
	results []result
	found   map[resultKey]int
}

// result is an item that goes back, with the step of its backoff.
type result struct {
	it            *item
	more          *crowdParts // that join it
	step, classes int
	filters       []string
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

// resultKey is what the pods of an item have in common that goes back.
type resultKey struct {
	priority int32
	step     int
	filters  string
	class    Class // only for those with terms of affinity
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
	clear(s.parted)
	clear(s.results)
	clear(s.found)
	*s = sweep{refused: s.refused[:0], known: s.known[:0], unknown: s.unknown[:0], parted: s.parted[:0], results: s.results[:0], found: s.found}
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
	s.walk(h, 0)
	s.sortIn(h)
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
		s.part(it)
	}
	if it.members != nil && len(it.members.list) > 1 {
		s.known = append(s.known, refusedItem{it: it, filters: it.FailedFilters})
		return true
	}
	class := s.q.classOf(it, s.r)
	if class == nil {
		return false
	}
	if filters, ok := class.Known(); ok && len(filters) > 0 {
		s.known = append(s.known, refusedItem{it: it, filters: filters})
	} else {
		s.unknown = append(s.unknown, it)
	}
	return true
}

// refusesStill reports whether a class is known to refuse as it did the last time.
func (p *crowdPart) refusesStill(crowd *item) bool {
	filters, ok := p.roster.class.Known()
	return ok && slices.Equal(filters, crowd.FailedFilters)
}

// part makes items of their own of the classes in a crowd of which that is not
// known. One stays if it is so for all.
func (s *sweep) part(crowd *item) {
	list := crowd.members.list
	at := slices.IndexFunc(list, func(p crowdPart) bool { return !p.refusesStill(crowd) })
	if at < 0 {
		return
	}
	stay := append(make([]crowdPart, 0, len(list)), list[:at]...)
	for i, p := range list[at:] {
		if i > 0 && p.refusesStill(crowd) || len(stay) == 0 && at+i == len(list)-1 {
			stay = append(stay, p)
			continue
		}
		own := &item{Entry: crowd.Entry, pool: crowd.pool, due: crowd.due, run: crowd.run}
		own.Pod = p.head.Pod
		s.q.enlist(own, partsOf([]crowdPart{p}, crowd.members.more))
		s.q.strike(p.roster, crowd)
		s.parted = append(s.parted, own)
	}
	crowd.members = crowd.members.only(stay)
	crowd.Pod = crowd.members.head.Pod
	s.parted = append(s.parted, crowd)
}

// sortIn sorts the parted items into their pool, and asks the new ones.
func (s *sweep) sortIn(h *heap) {
	if len(s.parted) == 0 {
		return
	}
	for _, it := range s.parted {
		if it.at < len(h.items) && h.items[it.at] == it {
			continue // it was there before
		}
		h.items = append(h.items, it)
		if !s.behind(h, it) && !s.mayRefuse(it) {
			s.stop = it
		}
	}
	h.restore()
	clear(s.parted)
	s.parted = s.parted[:0]
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
	s.gatherAll()
	for i := range s.results {
		s.note(&s.results[i])
		q.pools[unschedulable].push(s.results[i].it)
	}
}

// manyClasses is from where on a crowd is one that others join.
const manyClasses = 8

// gatherAll makes the results.
func (s *sweep) gatherAll() {
	if s.found == nil {
		s.found = map[resultKey]int{}
	}
	// Crowds of many classes first, so that the others join them and not they these.
	for _, many := range []bool{true, false} {
		for i := range s.refused {
			if x := &s.refused[i]; many == (x.members != nil && len(x.members.list) >= manyClasses) {
				s.gather(x)
			}
		}
	}
	for i := range s.results {
		s.results[i].assemble(s.q)
	}
	for i := range s.refused {
		if x := &s.refused[i]; x.moved {
			s.q.forget(x.it, x.members, x.rest)
		}
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

// gather puts refused pods together for which the same is to be noted.
func (s *sweep) gather(x *refusedItem) {
	q, it := s.q, x.it
	if x.members == nil {
		it.class.Refused(1)
		it.Attempts, it.Refusals = it.Attempts+1, it.Refusals+1
	} else {
		for i := range x.members.list {
			x.members.list[i].roster.class.Refused(x.members.list[i].members.size)
		}
	}
	to, found := s.resultFor(x)
	switch {
	case !found && x.members == nil:
		to.it = it
	case !found && x.rest == nil:
		to.it = it
		it.members = x.members.plus(1)
	case !found:
		to.it = &item{}
		q.enlist(to.it, x.members.plus(1))
		x.moved = true
	case x.members == nil:
		to.join(q.single(it))
	default:
		to.join(x.members.plus(1))
		x.moved = true
	}
}

// resultFor finds the result that refused pods belong to. There is a further one
// where a crowd would have pods of too many classes.
func (s *sweep) resultFor(x *refusedItem) (to *result, found bool) {
	it, classes := x.it, 1
	key := resultKey{it.Pod.PriorityValue(), min(it.Refusals, s.q.steps), joined(x.filters), nil}
	if x.members != nil {
		key.step, classes = min(it.Refusals+1, s.q.steps), len(x.members.list)
	}
	if len(it.Pod.Affinity.Pods) > 0 {
		key.class = s.q.classOf(it, s.r)
	}
	at, found := s.found[key]
	if found {
		to = &s.results[at]
		if more := to.classes + classes - to.overlap(x); more <= mostParts {
			to.classes = more
			return to, true
		}
	}
	// The one with fewer classes takes more.
	if !found || classes < s.results[at].classes {
		s.found[key] = len(s.results)
	}
	s.results = append(s.results, result{step: key.step, filters: x.filters, classes: classes})
	return &s.results[len(s.results)-1], false
}

// overlap counts the classes of refused pods that the result's item has, too.
func (to *result) overlap(x *refusedItem) int {
	if to.it.members == nil || x.members == nil {
		return 0
	}
	n, rest := 0, x.members.list
	for i := range to.it.members.list {
		for len(rest) > 0 && compareRosters(rest[0].roster, to.it.members.list[i].roster) < 0 {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].roster == to.it.members.list[i].roster {
			n++
		}
	}
	return n
}

// joined makes one name of several.
func joined(filters []string) string {
	if len(filters) == 1 {
		return filters[0]
	}
	var all []byte
	for _, name := range filters {
		all = append(append(all, 0), strconv.Quote(name)...)
	}
	return string(all)
}

// join adds members to a result.
func (to *result) join(m *crowdParts) {
	if to.more == nil {
		to.more = m
	} else {
		to.more = to.more.union(m)
	}
}

// assemble makes a crowd of a result that has more than its item.
func (to *result) assemble(q *Queue) {
	if to.more == nil {
		return
	}
	if to.it.members == nil {
		to.it = q.crowdOf(to.it)
	}
	q.enlist(to.it, to.more)
}

// note writes what all pods of a result have in common.
func (s *sweep) note(to *result) {
	q, it := s.q, to.it
	it.run, it.pool, it.Gate, it.Errors = s.run, unschedulable, "", 0
	it.Enqueued, it.FailedFilters, it.PendingFilters = s.now, sortedFilters(to.filters), nil
	if it.members != nil {
		it.Pod, it.Refusals = it.members.head.Pod, to.step
	}
	q.delay(it, s.now)
}
