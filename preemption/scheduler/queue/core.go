package queue

import (
	"cmp"
	"errors"
	"sync"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// core holds the pods inside, their pools and the channel that waiting calls listen to. Every pod inside is
// in items, and in exactly one place: in a pool, in a batch that is in a pool, or with its group.
type core struct {
	// mu guards all other fields. Every exported method holds it while it reads or changes them.
	mu    sync.Mutex
	items map[podKey]*item
	pools [poolCount]heap
	// cycle is the number of the last attempt. arrivals counts how often an item became active.
	cycle, arrivals int64
	// movedSince says that pods were moved since the last pod was popped; only the queue
	// of v1.13 looks at it (rule 5.9.3).
	movedSince bool
	// early says that while no pod is active the first pod in backoff may be popped.
	early bool
	// gate returns the name of the gate that keeps a pod from active and backoff, empty for
	// none. It is nil in a FIFO queue, which has no gates.
	gate func(*outrank.Pod) string
	// byClass lists the batches of each class. It has no entry for a class without a batch.
	byClass map[Class]*classBatches
	// serial is the last number that was given to a class, or to a pod that became a member of a batch.
	serial uint64
	// rules are the rules of the release that the queue works by.
	rules release.Rules
	// gatesAskedAfter is how long a gated pod waits until its gates are asked without an event. Zero
	// means that they are asked at events only.
	gatesAskedAfter time.Duration
	// why is the reason for which the operation under way moves pods. incoming counts the pods and groups
	// that entered each pool, by reason.
	why      cause
	incoming [poolCount][causeCount]arrivals
	// groups is nil in releases that do not queue groups as one.
	groups *groupTable
	// wake is closed when a pod can be popped; nil while no call waits.
	wake chan struct{}
}

// ErrNotInFlight is wrapped by errors about an attempt that is over.
var ErrNotInFlight = errors.New("no such attempt under way")

// init prepares the pools. The given order sorts the active pool. The other pools are sorted by when their
// items are due, and items due at the same time by the given order.
func (c *core) init(order func(a, b *item) int) {
	c.items = map[podKey]*item{}
	c.pools[active].order = order
	for _, p := range []pool{backoff, errorBackoff} {
		c.pools[p].order = func(a, b *item) int {
			return cmp.Or(a.BackoffEnd.Compare(b.BackoffEnd), order(a, b))
		}
	}
	c.pools[unschedulable].order = func(a, b *item) int {
		return cmp.Or(a.due.Compare(b.due), order(a, b))
	}
	c.pools[gated].order = order
	if c.gatesAskedAfter > 0 {
		c.pools[gated].order = func(a, b *item) int { return cmp.Or(compareDue(a, b), order(a, b)) }
	}

	// The pods of a group are popped in one attempt and share its number.
	c.pools[inFlight].order = func(a, b *item) int {
		if o := cmp.Compare(a.Cycle, b.Cycle); o != 0 || a.leaf == "" {
			return o
		}
		return compareMembers(a, b)
	}
}

// push puts an item into a pool, or into gated if a gate keeps it from that pool.
func (c *core) push(it *item, to pool) {
	if it.Gate = c.gateOfItem(it, to); it.Gate != "" {
		to = gated
	}
	c.put(it, to)
}

// gateOf returns the name of the gate that keeps a pod from a pool, empty for none (rules
// 5.2.6 and 5.2.9).
func (c *core) gateOf(pod *outrank.Pod, from pool) string {
	switch {
	case c.gate == nil || !hasGates(from):
		return ""
	case from != active && !c.early:
		// The caller's gates are asked when the backoff is over, but scheduling gates hold the pod at once.
		return c.gateOfVersion(pod, from)
	}
	return c.gate(pod)
}

// gateOfVersion is gateOf for another version of a pod that is in the pool already: only the pod's own
// scheduling gates can hold it back (rule 5.2.10).
func (c *core) gateOfVersion(pod *outrank.Pod, in pool) string {
	if c.gate == nil || !pod.Gated() || !hasGates(in) {
		return ""
	}
	return c.gate(pod)
}

// hasGates reports whether a pod has to pass gates to be in the pool.
func hasGates(p pool) bool { return p == active || p == backoff || p == errorBackoff }

// put puts an item into a pool without asking the gates. it.pool still names the pool that the item comes
// from: an item that goes back to the same pool does not count as an arrival (rule 5.7.1).
func (c *core) put(it *item, to pool) {
	if it.pool != to {
		c.arrive(to, c.why, it.arrivals())
	}
	it.pool = to

	if to == gated {
		it.wasHeld = true
		it.due = c.askAgain(it)
	}
	if to == active {
		c.arrivals++
		it.arrival = c.arrivals
	}
	if to == active || to == backoff && c.early {
		c.wakeAll()
	}
	c.pools[to].push(it)
}

func errNoPod(operation string) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: "queue", Field: operation, Text: "the pod is missing"}}}
}

// errUnmade returns the error for an operation on the zero Queue, which cannot hold pods.
func errUnmade(operation string) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: "queue", Field: operation, Text: "the queue was not made by New or NewFIFO"}}}
}

// refuses returns the error of an operation that cannot add this pod, nil if it can.
func (c *core) refuses(operation string, pod *outrank.Pod) error {
	switch {
	case pod == nil:
		return errNoPod(operation)
	case c.items == nil:
		return errUnmade(operation)
	}
	return nil
}

// first returns the item to be popped next, nil if there is none: the first active one, or else the first in
// backoff if early says that the backoff may be cut short. mu is held.
func (c *core) first(early bool) *item {
	it := c.pools[active].head()
	if it == nil && early {
		it = c.pools[backoff].head()
	}
	return it
}

// isMember reports whether a pod is queued with its group. A pod that is on a node never is.
func (c *core) isMember(pod *outrank.Pod) bool {
	return c.groups != nil && pod.Group != "" && pod.NodeName == ""
}

// sameGroup reports whether another version of an item's pod belongs to the same group.
func (c *core) sameGroup(it *item, pod *outrank.Pod) bool {
	return c.isMember(pod) && pod.GroupKey() == it.leaf
}

// askAgain returns when the gates of a gated item are asked without an event (rule 5.2.7). The zero time means
// never: scheduling gates, for example, go only with an update of the pod.
func (c *core) askAgain(it *item) time.Time {
	if c.gatesAskedAfter <= 0 || it.heldBySpec() {
		return time.Time{}
	}
	since := it.Enqueued
	if it.flushed.After(since) {
		since = it.flushed
	}
	return since.Add(c.gatesAskedAfter)
}

// gateOfItem returns the name of the gate that keeps an item from a pool, empty for none. For a group it is
// the gate that holds the first of its held pods (rule 5.8.4).
func (c *core) gateOfItem(it *item, from pool) string {
	if it.group == nil {
		return c.gateOf(it.Pod, from)
	}

	// Every member is asked, because quit needs to know whether the member that leaves was held.
	var first *item
	for _, m := range it.waiting().items {
		if m.Gate = c.gateOf(m.Pod, from); m.Gate != "" && (first == nil || compareTries(m, first) < 0) {
			first = m
		}
	}
	if first == nil {
		return ""
	}
	return first.Gate
}

// wakeAll wakes all waiting calls. They look at the queue only after the operation under way has ended,
// because they need its lock.
func (c *core) wakeAll() {
	if c.wake != nil {
		close(c.wake)
		c.wake = nil
	}
}

// arrive counts the pods and groups that enter a pool. Being popped does not count as entering one.
func (c *core) arrive(to pool, why cause, a arrivals) {
	if to != inFlight {
		c.incoming[to][why].add(a)
	}
}
