package queue

import (
	"cmp"
	"slices"
	"time"
)

// refusalRun is a run of attempts that were refused one after another. It has the numbers of the first and
// the last attempt. The number of each pod's own attempt is worked out when it is asked for.
type refusalRun struct {
	first, last int64
	portions    []portion
	// cycles maps the item of each pod to the number of its attempt. It is nil until one is asked for.
	cycles map[*item]int64
}

// portion is a part of a run whose pods only their identity tells apart: a single pod, or members of a
// batch. The other fields are the keys by which the pods were sorted in their pool.
type portion struct {
	single  *item
	members *batchParts
	// backoff says that the pods were popped from backoff, and not from active.
	backoff    bool
	backoffEnd time.Time
	enqueued   time.Time
	priority   int32
}

// compare orders portions as their pods were popped: active ones first, and then as the pools sort them.
// If two portions are equal, their pods were popped in the order of identity.
func (p *portion) compare(q *portion) int {
	if p.backoff != q.backoff {
		if q.backoff {
			return -1
		}
		return 1
	}
	if p.backoff {
		if c := p.backoffEnd.Compare(q.backoffEnd); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(q.priority, p.priority), p.enqueued.Compare(q.enqueued))
}

// cycleOf returns the number of the attempt with a pod of the run. The first call takes O(n log n), later
// ones constant time.
func (r *refusalRun) cycleOf(it *item) int64 {
	if r.cycles == nil {
		r.settle()
	}
	return r.cycles[it]
}

// settle fills in cycles: it numbers the attempts in the order in which the pods were popped.
func (r *refusalRun) settle() {
	portions := slices.Clone(r.portions)
	slices.SortStableFunc(portions, func(a, b portion) int { return a.compare(&b) })

	r.cycles = map[*item]int64{}
	next := r.first
	for len(portions) > 0 {
		n := 1
		for n < len(portions) && portions[0].compare(&portions[n]) == 0 {
			n++
		}

		// The first n portions are equal, so their pods were popped in the order of identity, whichever
		// portion they are in.
		var items []*item
		for _, p := range portions[:n] {
			if p.single != nil {
				items = append(items, p.single)
			}
			if p.members != nil {
				p.members.each(func(it *item, _ int) { items = append(items, it) })
			}
		}
		slices.SortFunc(items, compareMembers)
		for _, it := range items {
			r.cycles[it] = next
			next++
		}

		portions = portions[n:]
	}
}
