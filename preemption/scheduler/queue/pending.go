package queue

import (
	"cmp"
	"fmt"
	"slices"
)

// Parts is what a queue holds by where that is: numbers of pods, or entries.
type Parts[T int | []Entry] struct {
	Active, Backoff, Unschedulable, Gated, InFlight T
	// Incomplete is about the pods whose group is not known, Waiting about those that wait for
	// their group to come back from an attempt (rules 5.8.5 and 5.8.6).
	Incomplete, Waiting T
}

// Incoming is how many pods have entered a part of a queue for one reason (upstream's
// metric queue_incoming_pods_total).
type Incoming struct {
	// Queue is the part: active, backoff, unschedulable or gated.
	Queue string
	// Event is what happened, as the release names it (group 5.7).
	Event string
	// Pods is how many, Grouped how many of them came in groups of pods that are queued
	// as one, and Groups how many groups these were (rule 5.8.12).
	Pods, Grouped, Groups uint64
}

// poolNames are those of the parts that are counted.
var poolNames = map[pool]string{
	active: "active", backoff: "backoff", errorBackoff: "backoff", unschedulable: "unschedulable", gated: "gated",
}

// String returns "1 active, 0 in backoff, 2 unschedulable, 0 gated, 0 in flight", and
// goes on with ", 1 incomplete, 1 waiting for their group" where there are such. An entry counts as
// many pods as it has.
func (p Parts[T]) String() string {
	text := fmt.Sprintf("%d active, %d in backoff, %d unschedulable, %d gated, %d in flight",
		podsIn(p.Active), podsIn(p.Backoff), podsIn(p.Unschedulable), podsIn(p.Gated), podsIn(p.InFlight))
	if incomplete, waiting := podsIn(p.Incomplete), podsIn(p.Waiting); incomplete > 0 || waiting > 0 {
		text += fmt.Sprintf(", %d incomplete, %d waiting for their group", incomplete, waiting)
	}
	return text
}

// podsIn is the number of pods in a part.
func podsIn[T int | []Entry](part T) int {
	switch part := any(part).(type) {
	case int:
		return part
	case []Entry:
		n := 0
		for i := range part {
			if n++; part[i].Group != nil {
				n += len(part[i].Group.Members) - 1
			}
		}
		return n
	}
	return 0
}

// Pending returns the entries inside: the active pods in the order in which they would be popped,
// those in backoff sorted by its end, the unschedulable ones by the time-out that would try them
// again, the gated ones like the active ones, those in flight in the order in which they were
// popped. A group is one entry, with its members; those in flight are listed by themselves.
// Incomplete pods are sorted by their group and then, like those that wait for it, in the order in
// which they would be tried. The entries belong to the caller. Time O(n log n).
func (q *Queue) Pending() Parts[[]Entry] {
	q.mu.Lock()
	defer q.mu.Unlock()
	incomplete, waiting := q.groups.outside()
	return Parts[[]Entry]{
		Incomplete: incomplete, Waiting: waiting,
		Active: q.pools[active].sorted(), Backoff: q.inBackoff().sorted(),
		Unschedulable: q.pools[unschedulable].sorted(), Gated: (&heap{items: q.pools[gated].items, order: q.pools[active].order}).sorted(),
		InFlight: q.pools[inFlight].sorted(),
	}
}

// Counts returns how many pods each pool holds, in constant time.
func (q *Queue) Counts() Parts[int] {
	q.mu.Lock()
	defer q.mu.Unlock()
	counts := q.count(func(h *heap) int { return h.count })
	if q.groups != nil {
		counts.Incomplete, counts.Waiting = q.groups.incomplete, q.groups.apart
	}
	return counts
}

// Entities counts what is popped as one: pods that are alone, and groups. Pods that are in flight,
// incomplete or wait for their group count as alone. Constant time.
func (q *Queue) Entities() (alone, groups Parts[int]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	alone = q.count(func(h *heap) int { return h.count - h.grouped })
	groups = q.count(func(h *heap) int { return h.groups })
	if q.groups != nil {
		alone.Incomplete, alone.Waiting = q.groups.incomplete, q.groups.apart
		groups.InFlight = q.groups.tried
	}
	return alone, groups
}

// count counts something in each pool.
func (c *core) count(of func(*heap) int) Parts[int] {
	n := func(p pool) int { return of(&c.pools[p]) }
	return Parts[int]{
		Active: n(active), Backoff: n(backoff) + n(errorBackoff), Unschedulable: n(unschedulable), Gated: n(gated), InFlight: n(inFlight),
	}
}

// inBackoff returns both pools of pods in backoff as one, only to be listed.
func (c *core) inBackoff() *heap {
	a, b := &c.pools[backoff], &c.pools[errorBackoff]
	return &heap{items: slices.Concat(a.items, b.items), order: a.order}
}

// sorted returns copies of the entries in order; the heap stays as it is.
func (h *heap) sorted() []Entry {
	items := make([]*item, 0, h.count)
	for _, it := range h.items {
		items = it.each(items)
	}
	slices.SortFunc(items, h.order)
	out := make([]Entry, len(items))
	for i, it := range items {
		out[i] = it.handedOut()
	}
	return out
}

// Incoming returns how many pods have entered each part of the queue so far and why,
// sorted by part and event, without what has not happened. A pod counts each time,
// but not while it stays where it is. Takes constant time.
func (q *Queue) Incoming() []Incoming {
	q.mu.Lock()
	defer q.mu.Unlock()
	var list []Incoming
	for p, counts := range q.incoming {
		for why, a := range counts {
			if a.pods > 0 {
				list = append(list, Incoming{poolNames[pool(p)], cause(why).name(&q.rules), a.pods, a.grouped, a.groups})
			}
		}
	}
	slices.SortFunc(list, func(a, b Incoming) int { return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Event, b.Event)) })
	merged := list[:0]
	for _, in := range list {
		if n := len(merged); n > 0 && merged[n-1].Queue == in.Queue && merged[n-1].Event == in.Event {
			merged[n-1].Pods += in.Pods
			merged[n-1].Grouped, merged[n-1].Groups = merged[n-1].Grouped+in.Grouped, merged[n-1].Groups+in.Groups
			continue
		}
		merged = append(merged, in)
	}
	return slices.Clip(merged)
}
