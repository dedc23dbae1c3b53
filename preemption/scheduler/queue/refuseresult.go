package queue

import (
	"strconv"
)

// manyClasses is the number of classes that makes a batch large. Large batches are gathered first, so that
// smaller items join them and not the other way round.
const manyClasses = 8

// gatherAll collects the refused pods into results, items that are as few as their keys and mostParts allow.
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

	// Members are enlisted in their new batches before their old ones forget them: a class whose last
	// batch goes would be forgotten, and its members could not be found.
	for i := range s.results {
		s.results[i].assemble(s.core)
	}
	for i := range s.refused {
		if x := &s.refused[i]; x.moved {
			s.core.forget(x.it, x.members, x.rest)
		}
	}
}

// gather tells the classes how many of their pods are refused, and adds the pods to the result with their key.
func (s *batchRefusal) gather(x *refusedItem) {
	c, it := s.core, x.it

	if x.members == nil {
		it.class.Refused(1)
		it.Attempts, it.Refusals = it.Attempts+1, it.Refusals+1
	} else {
		for _, p := range x.members.list {
			p.class.Refused(p.members.size)
		}
	}

	// The first pods of a result bring its item: their own if all its pods are refused, else a new one.
	// plus counts this attempt for members; for a single pod it was counted above.
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

// resultFor returns the result that refused pods join. found is false if it is new: these are the first
// pods with their key, or with them the earlier result would have too many classes.
func (s *batchRefusal) resultFor(x *refusedItem) (to *result, found bool) {
	it, classes := x.it, 1
	key := resultKey{it.Pod.PriorityValue(), min(it.Refusals, s.steps), joined(x.filters), nil}
	if x.members != nil {
		// The refusals of a single pod count this attempt already, the refusals of a batch do not.
		key.step, classes = min(it.Refusals+1, s.steps), len(x.members.list)
	}

	// [Queue.AssignedPodAdded] compares a new neighbour with the terms of the first pod of a batch only. So
	// all pods of a batch must have the same terms.
	if len(it.Pod.Affinity.PodAffinity) > 0 {
		key.class = s.core.classOf(it, s.refusing)
	}

	at, found := s.found[key]
	if found {
		to = &s.results[at]
		if more := to.classes + classes - to.overlap(x); more <= mostParts {
			to.classes = more
			return to, true
		}
	}

	// Further pods join the result with fewer classes, which has more room.
	if !found || classes < s.results[at].classes {
		s.found[key] = len(s.results)
	}
	s.results = append(s.results, result{step: key.step, filters: x.filters, classes: classes})
	return &s.results[len(s.results)-1], false
}

// overlap counts the classes that refused pods and the result's item have in common. Both lists are sorted
// by class.
func (to *result) overlap(x *refusedItem) int {
	if to.it.members == nil || x.members == nil {
		return 0
	}
	n, rest := 0, x.members.list
	for _, p := range to.it.members.list {
		for len(rest) > 0 && compareClasses(rest[0].classBatches, p.classBatches) < 0 {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].classBatches == p.classBatches {
			n++
		}
	}
	return n
}

// joined returns a string for a list of names. Different lists have different strings.
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

// join adds members to those that join the result's item.
func (to *result) join(m *batchParts) {
	if to.joining == nil {
		to.joining = m
	} else {
		to.joining = to.joining.union(m)
	}
}

// assemble puts the result's item and what joined it into one batch.
func (to *result) assemble(c *core) {
	if to.joining == nil {
		return
	}
	if to.it.members == nil {
		to.it = c.batchOf(to.it)
	}
	c.enlist(to.it, to.joining)
}

// note sets the fields that all pods of a result share. For a single pod, [item.failed] and the pool
// would set them.
func (s *batchRefusal) note(to *result) {
	it := to.it
	it.run, it.pool = s.run, unschedulable
	it.Gate, it.Errors = "", 0
	it.Enqueued = s.now
	it.FailedFilters, it.PendingFilters = sortedFilters(to.filters), nil
	if it.members != nil {
		it.Pod, it.Refusals = it.members.head.Pod, to.step
	}
	s.config.delay(it, s.now)
}
