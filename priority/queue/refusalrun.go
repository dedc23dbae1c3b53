package queue

import (
	"cmp"
	"slices"
	"time"
)

// refusalRun is a number of attempts that came to nothing one after another. The
// number of each is worked out when somebody asks for it.
type refusalRun struct {
	first, last int64
	portions    []portion
	// cycles has the number of each pod's attempt, nil until one is asked for.
	cycles map[*item]int64
}

// portion is some pods of a run that the queue sorted alike, but for their
// identity: a single one, or members.
type portion struct {
	single     *item
	members    *crowdParts
	backoff    bool // popped from there, and not from active
	backoffEnd time.Time
	enqueued   time.Time
	priority   int32
}

// compare orders portions as the pools of the queue do. Pods of portions that are
// equal in this were popped in the order of their identity.
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

// cycleOf returns the number of the attempt with a pod of the run. The first
// question takes O(n log n).
func (r *refusalRun) cycleOf(it *item) int64 {
	if r.cycles == nil {
		r.settle()
	}
	return r.cycles[it]
}

// settle numbers the attempts.
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
		var alike []*item
		for _, p := range portions[:n] {
			if p.single != nil {
				alike = append(alike, p.single)
			}
			if p.members != nil {
				p.members.each(func(it *item, _ int) { alike = append(alike, it) })
			}
		}
		slices.SortFunc(alike, compareMembers)
		for _, it := range alike {
			r.cycles[it] = next
			next++
		}
		portions = portions[n:]
	}
}
