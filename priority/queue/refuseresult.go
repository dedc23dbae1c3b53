package queue

import (
	"strconv"
)

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
		s.results[i].assemble(s.core)
	}
	for i := range s.refused {
		if x := &s.refused[i]; x.moved {
			s.core.forget(x.it, x.members, x.rest)
		}
	}
}

// gather puts refused pods together for which the same is to be noted.
func (s *sweep) gather(x *refusedItem) {
	c, it := s.core, x.it
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
		c.enlist(to.it, x.members.plus(1))
		x.moved = true
	case x.members == nil:
		to.join(c.single(it))
	default:
		to.join(x.members.plus(1))
		x.moved = true
	}
}

// resultFor finds the result that refused pods belong to. There is a further one
// where a crowd would have pods of too many classes.
func (s *sweep) resultFor(x *refusedItem) (to *result, found bool) {
	it, classes := x.it, 1
	key := resultKey{it.Pod.PriorityValue(), min(it.Refusals, s.steps), joined(x.filters), nil}
	if x.members != nil {
		key.step, classes = min(it.Refusals+1, s.steps), len(x.members.list)
	}
	if len(it.Pod.Affinity.Pods) > 0 {
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
func (to *result) assemble(c *core) {
	if to.more == nil {
		return
	}
	if to.it.members == nil {
		to.it = c.crowdOf(to.it)
	}
	c.enlist(to.it, to.more)
}

// note writes what all pods of a result have in common.
func (s *sweep) note(to *result) {
	it := to.it
	it.run, it.pool, it.Gate, it.Errors = s.run, unschedulable, "", 0
	it.Enqueued, it.FailedFilters, it.PendingFilters = s.now, sortedFilters(to.filters), nil
	if it.members != nil {
		it.Pod, it.Refusals = it.members.head.Pod, to.step
	}
	s.config.delay(it, s.now)
}
