package queue

import (
	"fmt"
	"slices"
)

// Counts is how many pods a queue holds, by where they are.
type Counts struct {
	Active, Backoff, Unschedulable, Gated, InFlight int
}

// String returns "1 active, 0 in backoff, 2 unschedulable, 0 gated, 0 in flight".
func (c Counts) String() string {
	return fmt.Sprintf("%d active, %d in backoff, %d unschedulable, %d gated, %d in flight",
		c.Active, c.Backoff, c.Unschedulable, c.Gated, c.InFlight)
}

// Pending is what a queue holds at one moment: the active pods in the order in
// which they would be popped, those in backoff sorted by its end, the
// unschedulable ones by the time-out that would try them again, the gated ones like
// the active ones, those in flight in the order in which they were popped. It
// belongs to the caller.
type Pending struct {
	Active, Backoff, Unschedulable, Gated, InFlight []Entry
}

// String returns the counts in words.
func (p Pending) String() string {
	return Counts{len(p.Active), len(p.Backoff), len(p.Unschedulable), len(p.Gated), len(p.InFlight)}.String()
}

// Pending returns the entries inside. Time O(n log n).
func (c *core) Pending() Pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Pending{
		Active: c.pools[active].sorted(), Backoff: c.inBackoff().sorted(),
		Unschedulable: c.pools[unschedulable].sorted(), Gated: (&heap{items: c.pools[gated].items, order: c.pools[active].order}).sorted(),
		InFlight: c.pools[inFlight].sorted(),
	}
}

// Counts returns how many pods each pool holds, in constant time.
func (c *core) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Counts{
		Active: c.pools[active].count, Backoff: c.pools[backoff].count + c.pools[errorBackoff].count,
		Unschedulable: c.pools[unschedulable].count, Gated: c.pools[gated].count,
		InFlight: c.pools[inFlight].count,
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
		out[i] = it.Entry.copied()
	}
	return out
}
