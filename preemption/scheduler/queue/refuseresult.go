package queue

import (
	"strconv"
)

// manyClasses is the number of classes from which on a batch is gathered early, so that smaller items
// join it and not the other way round.
const manyClasses = 8

// gatherAll collects the refused pods into as few items as may be: the results.
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

// gather tells the classes of the refusals, and adds the refused pods to the result with their key.
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

	// The first pods of a result bring its item: their own where none of them stays behind, else a new
	// one. Members count this attempt by plus; a single pod did so above.
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

// resultFor returns the result that refused pods join. It is not found where the pods begin a new result:
// the first with their key, or another one where a batch would have pods of too many classes.
func (s *batchRefusal) resultFor(x *refusedItem) (to *result, found bool) {
	it, classes := x.it, 1
	key := resultKey{it.Pod.PriorityValue(), min(it.Refusals, s.steps), joined(x.filters), nil}
	if x.members != nil {
		// Unlike those of a single pod, the refusals of a batch do not count this attempt yet.
		key.step, classes = min(it.Refusals+1, s.steps), len(x.members.list)
	}

	// Whether a new neighbour satisfies terms of affinity is asked of the first pod of a batch alone
	// ([Queue.AssignedPodAdded]). So all its pods must have the same terms.
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

// overlap counts the classes of refused pods that the result's item has, too. Both lists are sorted by
// class.
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

// note sets what all pods of a result share: what [item.failed] and the pool set for a single pod.
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
