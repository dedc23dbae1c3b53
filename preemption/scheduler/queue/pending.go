package queue

import (
	"cmp"
	"fmt"
	"slices"
)

// Parts says what each part of a queue holds: how many pods, or their entries.
type Parts[T int | []Entry] struct {
	Active, Backoff, Unschedulable, Gated, InFlight T
	// Incomplete holds the pods whose group is not known. Waiting holds the pods that wait for
	// their group to come back from an attempt (rules 5.8.5 and 5.8.6).
	Incomplete, Waiting T
}

// Incoming counts the pods that have entered a part of a queue for one reason (upstream's
// metric queue_incoming_pods_total).
type Incoming struct {
	// Queue names the part: active, backoff, unschedulable or gated.
	Queue string
	// Event is the reason, as the release names it (group 5.7).
	Event string
	// Pods counts all pods that entered for this reason. Grouped counts those of them that came in a group
	// that is queued as one, and Groups counts these groups (rule 5.8.12).
	Pods, Grouped, Groups uint64
}

// poolNames gives the pools their names in Incoming. Both kinds of backoff are one part.
var poolNames = map[pool]string{
	active: "active", backoff: "backoff", errorBackoff: "backoff", unschedulable: "unschedulable", gated: "gated",
}

// String returns a text such as "1 active, 0 in backoff, 2 unschedulable, 0 gated, 0 in flight", and
// adds ", 1 incomplete, 1 waiting for their group" if there are such pods. The entry of a group counts
// as many pods as the group has members.
func (p Parts[T]) String() string {
	text := fmt.Sprintf("%d active, %d in backoff, %d unschedulable, %d gated, %d in flight",
		podsIn(p.Active), podsIn(p.Backoff), podsIn(p.Unschedulable), podsIn(p.Gated), podsIn(p.InFlight))
	if incomplete, waiting := podsIn(p.Incomplete), podsIn(p.Waiting); incomplete > 0 || waiting > 0 {
		text += fmt.Sprintf(", %d incomplete, %d waiting for their group", incomplete, waiting)
	}
	return text
}

// podsIn returns the number of pods in a part.
func podsIn[T int | []Entry](part T) int {
	switch part := any(part).(type) {
	case int:
		return part
	case []Entry:
		n := 0
		for i := range part {
			if g := part[i].Group; g != nil {
				n += len(g.Members)
			} else {
				n++
			}
		}
		return n
	}
	return 0
}

// Pending returns the entries inside. Active and gated pods are in the order in which they would be popped,
// pods in backoff are sorted by its end, unschedulable pods by the time-out after which they would be
// tried again, and pods in flight by when they were popped. A group is one entry, with its
// members; a group in flight is not listed, but each of its members is. Incomplete pods, and pods that
// wait for their group, are sorted by group and then in the order in which they would be tried. The
// entries belong to the caller. Time O(n log n).
func (q *Queue) Pending() Parts[[]Entry] {
	q.mu.Lock()
	defer q.mu.Unlock()

	// The gated pool is sorted by when the gates are asked again, which is not the order of the list.
	asActive := heap{items: q.pools[gated].items, order: q.pools[active].order}
	incomplete, waiting := q.groups.outside()
	return Parts[[]Entry]{
		Active: q.pools[active].sorted(), Backoff: q.inBackoff().sorted(),
		Unschedulable: q.pools[unschedulable].sorted(), Gated: asActive.sorted(),
		InFlight:   q.pools[inFlight].sorted(),
		Incomplete: incomplete, Waiting: waiting,
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

// Entities counts what is popped as one: alone counts single pods, groups counts groups. Pods that are in
// flight, incomplete or waiting for their group count as single ones (rule 5.8.12). Constant time.
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

// count returns a number for each pool, with both kinds of backoff added up.
func (c *core) count(number func(*heap) int) Parts[int] {
	n := func(p pool) int { return number(&c.pools[p]) }
	return Parts[int]{
		Active: n(active), Backoff: n(backoff) + n(errorBackoff), Unschedulable: n(unschedulable), Gated: n(gated), InFlight: n(inFlight),
	}
}

// inBackoff returns the items of both backoff pools together. They are not in the order of a heap and are
// fit only to be listed.
func (c *core) inBackoff() *heap {
	a, b := &c.pools[backoff], &c.pools[errorBackoff]
	return &heap{items: slices.Concat(a.items, b.items), order: a.order}
}

// sorted returns copies of the entries in order, one for each member of a batch. The heap stays as it is.
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

// Incoming returns how many pods have entered each part of the queue so far and why, sorted by part and
// event; reasons without any pod are left out. A pod counts each time that it enters a part, and not while
// it stays there. Constant time.
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

	// Both kinds of backoff have one name, and in some releases two causes have the same name. Sorting makes
	// such counts neighbours, and they are added up.
	slices.SortFunc(list, func(a, b Incoming) int { return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Event, b.Event)) })
	merged := list[:0]
	for _, in := range list {
		if n := len(merged); n > 0 && merged[n-1].Queue == in.Queue && merged[n-1].Event == in.Event {
			same := &merged[n-1]
			same.Pods += in.Pods
			same.Grouped += in.Grouped
			same.Groups += in.Groups
			continue
		}
		merged = append(merged, in)
	}
	return slices.Clip(merged)
}
