package queue

import (
	"strconv"
)

// manyClasses is the number of classes from which on a batch takes others in, and does not
// join another.
const manyClasses = 8

// gatherAll makes the results.
func (s *batchRefusal) gatherAll() {
	if s.found == nil {
		s.found = map[resultKey]int{}
	}
	// Batches of many classes come first, so that the others join them.
	for _, many := range []bool{true, false} {
		for i := range s.refused {
			if x := &s.refused[i]; many == (x.members != nil && len(x.members.list) >= manyClasses) {
				s.gather(x)
			}
		}
	}
	for i := range s.results {
		s.results[i].assemble(s.core)
	}
	for i := range s.refused {
		if x := &s.refused[i]; x.moved {
			s.core.forget(x.it, x.members, x.rest)
		}
	}
}

// gather adds refused pods to the result with the same key.
func (s *batchRefusal) gather(x *refusedItem) {
	c, it := s.core, x.it
	if x.members == nil {
		it.batched.class.Refused(1)
		it.Attempts, it.Refusals = it.Attempts+1, it.Refusals+1
	} else {
		for i := range x.members.list {
			x.members.list[i].classBatches.class.Refused(x.members.list[i].members.size)
		}
	}
	to, found := s.resultFor(x)
	switch {
	case !found && x.members == nil:
		to.it = it
	case !found && x.rest == nil:
		to.it = it
		it.batched.members = x.members.plus(1)
	case !found:
		to.it = &item{}
		c.enlist(to.it, x.members.plus(1))
		x.moved = true
	case x.members == nil:
		to.join(c.single(it))
	default:
		to.join(x.members.plus(1))
		x.moved = true
	}
}

// resultFor finds the result that refused pods belong to. It begins another one where a
// batch would have pods of too many classes.
func (s *batchRefusal) resultFor(x *refusedItem) (to *result, found bool) {
	it, classes := x.it, 1
	key := resultKey{it.Pod.PriorityValue(), min(it.Refusals, s.steps), joined(x.filters), nil}
	if x.members != nil {
		key.step, classes = min(it.Refusals+1, s.steps), len(x.members.list)
	}
	if len(it.Pod.Affinity.PodAffinity) > 0 {
		key.class = s.core.classOf(it, s.r)
	}
	at, found := s.found[key]
	if found {
		to = &s.results[at]
		if more := to.classes + classes - to.overlap(x); more <= mostParts {
			to.classes = more
			return to, true
		}
	}
	// Further pods join the result with fewer classes.
	if !found || classes < s.results[at].classes {
		s.found[key] = len(s.results)
	}
	s.results = append(s.results, result{step: key.step, filters: x.filters, classes: classes})
	return &s.results[len(s.results)-1], false
}

// overlap counts the classes of refused pods that the result's item has, too.
func (to *result) overlap(x *refusedItem) int {
	if to.it.batched.members == nil || x.members == nil {
		return 0
	}
	n, rest := 0, x.members.list
	for i := range to.it.batched.members.list {
		for len(rest) > 0 && compareClasses(rest[0].classBatches, to.it.batched.members.list[i].classBatches) < 0 {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].classBatches == to.it.batched.members.list[i].classBatches {
			n++
		}
	}
	return n
}

// joined returns one string for a list of names, different for different lists.
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
func (to *result) join(m *batchParts) {
	if to.more == nil {
		to.more = m
	} else {
		to.more = to.more.union(m)
	}
}

// assemble puts the result's item and what joined it into one batch.
func (to *result) assemble(c *core) {
	if to.more == nil {
		return
	}
	if to.it.batched.members == nil {
		to.it = c.batchOf(to.it)
	}
	c.enlist(to.it, to.more)
}

// note sets what all pods of a result share.
func (s *batchRefusal) note(to *result) {
	it := to.it
	it.batched.run, it.pool, it.Gate, it.Errors = s.run, unschedulable, "", 0
	it.Enqueued, it.FailedFilters, it.PendingFilters = s.now, sortedFilters(to.filters), nil
	if it.batched.members != nil {
		it.Pod, it.Refusals = it.batched.members.head.Pod, to.step
	}
	s.config.delay(it, s.now)
}
