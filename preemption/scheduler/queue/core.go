package queue

import (
	"cmp"
	"errors"
	"sync"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// core holds the pods inside, their pools and the calls that wait for one. Every pod inside is in items,
// and in exactly one place: in a pool, in a batch that is in a pool, or with its group.
type core struct {
	// mu is held by every exported method while it reads or changes anything else here.
	mu    sync.Mutex
	items map[podKey]*item
	pools [poolCount]heap
	// cycle is the number of the last attempt, arrivals that of the last pod that became active.
	cycle, arrivals int64
	// movedSince says that pods were moved since the last pod was popped; only the queue
	// of v1.13 looks at it (rule 5.9.3).
	movedSince bool
	// early says that the first pod in backoff is popped while none is active.
	early bool
	// gate returns the name of the check that keeps a pod from active and backoff, empty for
	// none. It is nil where nothing is ever checked.
	gate func(*outrank.Pod) string
	// byClass lists the batches of each class. A class is listed while it has one.
	byClass map[Class]*classBatches
	// serial is the last number given to a class or to a pod that became a member.
	serial uint64
	// rules are those of the release.
	rules release.Rules
	// gatesAskedAfter is how long a gated pod waits until its gates are asked without an event. Zero
	// means that they never are.
	gatesAskedAfter time.Duration
	// why is the cause for which the operation under way moves pods. incoming counts what entered
	// each pool, by cause.
	why      cause
	incoming [poolCount][causeCount]arrivals
	// groups is nil where groups are not queued.
	groups *groupTable
	// wake is closed when a pod can be popped; nil while no call waits.
	wake chan struct{}
}

// ErrNotInFlight is wrapped by errors about an attempt that is over.
var ErrNotInFlight = errors.New("no such attempt under way")

// init prepares the pools. The active pool is sorted by the given order, the
// others by when their pods are due, with the same order among equals.
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

// push puts an item into a pool, or among the gated ones if a gate keeps it from there.
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
		// Its gates are asked when the backoff is over, but scheduling gates hold it at once.
		return c.gateOfVersion(pod, from)
	}
	return c.gate(pod)
}

// gateOfVersion is gateOf for another version of a pod that was let in already: only its
// scheduling gates can hold it back (rule 5.2.10).
func (c *core) gateOfVersion(pod *outrank.Pod, in pool) string {
	if c.gate == nil || !pod.Gated() || !hasGates(in) {
		return ""
	}
	return c.gate(pod)
}

// hasGates reports whether a pod has to pass gates to be in the pool.
func hasGates(p pool) bool { return p == active || p == backoff || p == errorBackoff }

// put puts an item into a pool whatever the gates say. The item's pool is still the one that it comes
// from: an item that stays where it was does not arrive (rule 5.7.1).
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

// errUnmade is the error of the zero queue, which has no pools.
func errUnmade(operation string) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: "queue", Field: operation, Text: "the queue was not made by New or NewFIFO"}}}
}

// refuses returns the error of an operation that cannot take this pod in, nil if it can.
func (c *core) refuses(operation string, pod *outrank.Pod) error {
	switch {
	case pod == nil:
		return errNoPod(operation)
	case c.items == nil:
		return errUnmade(operation)
	}
	return nil
}

// first returns the pod to be popped next, nil if there is none: the first active
// one, or else the first in backoff where that may end early. mu is held.
func (c *core) first(early bool) *item {
	it := c.pools[active].head()
	if it == nil && early {
		it = c.pools[backoff].head()
	}
	return it
}

// isMember reports whether a pod is queued with its group. A pod with a node is not.
func (c *core) isMember(pod *outrank.Pod) bool {
	return c.groups != nil && pod.Group != "" && pod.NodeName == ""
}

// sameGroup reports whether another version of an item's pod belongs to the same group.
func (c *core) sameGroup(it *item, pod *outrank.Pod) bool {
	return c.isMember(pod) && pod.GroupKey() == it.leaf
}

// askAgain returns when the gates of a gated pod are asked without an event (rule
// 5.2.7). The zero time means never: nothing but an update takes scheduling gates away.
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

// gateOfItem returns the name of the gate that keeps an item from a pool. For a group it is
// the gate of the first of its pods that is held (rule 5.8.4).
func (c *core) gateOfItem(it *item, from pool) string {
	if it.group == nil {
		return c.gateOf(it.Pod, from)
	}

	// Every member is asked, so that each knows its own gate: quit looks at it.
	var first *item
	for _, m := range it.group.waiting.items {
		if m.Gate = c.gateOf(m.Pod, from); m.Gate != "" && (first == nil || compareTries(m, first) < 0) {
			first = m
		}
	}
	if first == nil {
		return ""
	}
	return first.Gate
}

// wakeAll wakes all waiting calls. They see the queue only once the operation under way has ended,
// because they need its lock.
func (c *core) wakeAll() {
	if c.wake != nil {
		close(c.wake)
		c.wake = nil
	}
}

// arrive counts what enters a pool. Pods that are popped enter none that is counted.
func (c *core) arrive(to pool, why cause, a arrivals) {
	if to != inFlight {
		c.incoming[to][why].add(a)
	}
}
