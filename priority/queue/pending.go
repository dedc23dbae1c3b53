package queue

import (
	"fmt"
	"slices"
)

// Counts is how many pods a queue holds, by where they are.
type Counts struct {
	Active, Backoff, Unschedulable, Gated, InFlight int
	// Incomplete are the pods whose group is not known, Waiting those that wait for
	// their group to come back from an attempt (rules 5.8.5 and 5.8.6).
	Incomplete, Waiting int
}

// String returns "1 active, 0 in backoff, 2 unschedulable, 0 gated, 0 in flight", and
// goes on with ", 1 incomplete, 1 waiting for their group" where there are such.
func (c Counts) String() string {
	text := fmt.Sprintf("%d active, %d in backoff, %d unschedulable, %d gated, %d in flight",
		c.Active, c.Backoff, c.Unschedulable, c.Gated, c.InFlight)
	if c.Incomplete > 0 || c.Waiting > 0 {
		text += fmt.Sprintf(", %d incomplete, %d waiting for their group", c.Incomplete, c.Waiting)
	}
	return text
}

// Entities is how much a queue holds by how it is popped: single pods, and groups.
// Pods that are in flight, incomplete or wait for their group count as pods.
type Entities struct{ Pods, Groups Counts }

// Pending is what a queue holds at one moment: the active pods in the order in
// which they would be popped, those in backoff sorted by its end, the
// unschedulable ones by the time-out that would try them again, the gated ones like
// the active ones, those in flight in the order in which they were popped. A group is
// one entry, with its members; those in flight are listed by themselves. Incomplete
// pods are sorted by their group and then, like those that wait for it, in the order in
// which they would be tried. It belongs to the caller.
type Pending struct {
	Active, Backoff, Unschedulable, Gated, InFlight []Entry
	Incomplete, Waiting                             []Entry
}

// String returns the counts in words.
func (p Pending) String() string {
	return Counts{
		Active: podsIn(p.Active), Backoff: podsIn(p.Backoff), Unschedulable: podsIn(p.Unschedulable), Gated: podsIn(p.Gated),
		InFlight: len(p.InFlight), Incomplete: len(p.Incomplete), Waiting: len(p.Waiting),
	}.String()
}

// podsIn counts the pods of entries, those of groups by themselves.
func podsIn(entries []Entry) int {
	n := 0
	for i := range entries {
		if entries[i].Group != nil {
			n += len(entries[i].Group.Members)
		} else {
			n++
		}
	}
	return n
}

// Pending returns the entries inside. Time O(n log n).
func (c *core) Pending() Pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	incomplete, waiting := c.groups.outside()
	return Pending{
		Incomplete: incomplete, Waiting: waiting,
		Active: c.pools[active].sorted(), Backoff: c.inBackoff().sorted(),
		Unschedulable: c.pools[unschedulable].sorted(), Gated: (&heap{items: c.pools[gated].items, order: c.pools[active].order}).sorted(),
		InFlight: c.pools[inFlight].sorted(),
	}
}

// Counts returns how many pods each pool holds, in constant time.
func (c *core) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := c.count(func(h *heap) int { return h.count })
	if c.groups != nil {
		counts.Incomplete, counts.Waiting = c.groups.incomplete, c.groups.apart
	}
	return counts
}

// Entities counts what is popped as one, in constant time.
func (c *core) Entities() Entities {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := Entities{
		Pods:   c.count(func(h *heap) int { return h.count - h.grouped }),
		Groups: c.count(func(h *heap) int { return h.groups }),
	}
	if c.groups != nil {
		e.Pods.Incomplete, e.Pods.Waiting = c.groups.incomplete, c.groups.apart
		e.Groups.InFlight = c.groups.tried
	}
	return e
}

// count counts something in each pool.
func (c *core) count(of func(*heap) int) Counts {
	n := func(p pool) int { return of(&c.pools[p]) }
	return Counts{
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
