package queue

import (
	"cmp"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

// pool is one of the places of a queue. A pod inside is in exactly one.
type pool uint8

const (
	active pool = iota
	backoff
	errorBackoff // backoff after an error, which nothing cuts short
	unschedulable
	gated    // held back by a check before the queue
	inFlight // popped and not done
	poolCount
)

// The places of members of groups that wait. These are no pools.
const (
	inGroup    pool = poolCount + 1 + iota // with their group, in the pool of that
	apart                                  // until their group comes back
	incomplete                             // until their group is known
)

// item is a pod inside a queue.
type item struct {
	Entry
	key podKey
	// pool is where the item is, and index its place in the heap of that pool.
	pool  pool
	index int
	// arrival numbers the items in the order in which they became active.
	arrival int64
	// due is the time at which an unschedulable pod is tried again without an event, or the gates of a
	// gated one are asked. For a gated pod zero means never.
	due time.Time
	// flushed is the time at which the queue last tried the pod, or asked its gates, for no other reason
	// than that it was due. Zero means never.
	flushed time.Time
	// wasHeld says that the pod was gated since its last attempt.
	wasHeld bool
	// moved says of a pod in flight that something happened to it alone that may help it.
	// updated says that Pod is newer than the version that was popped.
	moved, updated bool

	batchState

	// group is set in the item of a group, nil for a pod.
	group *waitingGroup
	// leaf is the key of the group that a member names, empty for other pods.
	leaf outrank.Key
	// groupItem is the item of the group that a member waits with or for, nil for other pods.
	groupItem *item
}

// batchState is the part of an item that concerns pods that are alike, which share an item
// while they are refused together.
type batchState struct {
	// class is the pod's class, nil until it was asked for.
	class Class
	// run knows the number of the latest attempt if the pod was refused together with others, else it is
	// nil. Entry.Cycle is then that of an earlier attempt.
	run *refusalRun
	// members are the pods that a batch stands for, nil for a single pod.
	members *batchParts
	// inBatch says that the pod is a member of a batch, whose item has what they share.
	inBatch bool
}

// waitingGroup is the part of an item that stands for a group.
type waitingGroup struct {
	id groupID
	// waiting are its pods that are not in flight. While the group itself is, they wait
	// for it to come back.
	waiting heap
	// tried says that the group is in flight.
	tried bool
}

// help is what an event means for a pod that waits for one (upstream's
// queueingStrategy).
type help uint8

const (
	noHelp       help = iota
	afterBackoff      // the pod is tried again once its backoff is over
	atOnce            // the pod is tried again whatever is left of its backoff
)

// size returns the number of pods that the item stands for.
func (it *item) size() int {
	switch {
	case it.group != nil:
		return len(it.group.waiting.items)
	case it.members != nil:
		return it.members.size
	}
	return 1
}

// arrivals returns what the item adds to the counts of the pool that it enters.
func (it *item) arrivals() arrivals {
	n := uint64(it.size())
	if it.group != nil {
		return arrivals{n, n, 1}
	}
	return arrivals{pods: n}
}

// heldBySpec reports whether scheduling gates hold the pod, or the group.
func (it *item) heldBySpec() bool {
	if it.group != nil {
		return it.Gate == schedulingGates
	}
	return it.Pod.Gated()
}

// backoffPool returns the pool in which the item waits out its backoff. A backoff after an error is
// never cut short, unless a gate held the pod since (rule 5.3.8).
func (it *item) backoffPool() pool {
	if len(it.FailedFilters) == 0 && (it.group != nil || !it.wasHeld) {
		return errorBackoff
	}
	return backoff
}

// failed notes the filters and counts of a failed attempt (rule 5.3.2).
func (it *item) failed(e *Entry, now time.Time) {
	it.Enqueued, it.wasHeld = now, false
	it.FailedFilters, it.PendingFilters = distinct(e.FailedFilters), distinct(e.PendingFilters)

	// Pending filters count as failed ones, also where the caller has not named them there.
	if len(e.PendingFilters) > 0 {
		it.FailedFilters = distinct(slices.Concat(e.FailedFilters, e.PendingFilters))
	}

	// No filter at all means an error.
	if len(it.FailedFilters) == 0 {
		it.Errors++
	} else {
		it.Refusals, it.Errors = it.Refusals+1, 0
	}
}

// distinct returns a sorted copy without duplicates; nil for none.
func distinct(filters []string) []string {
	if len(filters) == 0 {
		return nil
	}
	out := slices.Clone(filters)
	slices.Sort(out)
	return slices.Compact(out)
}

// cycle returns the number of the latest attempt with a single pod.
func (it *item) cycle() int64 {
	if it.run != nil {
		return it.run.cycleOf(it)
	}
	return it.Cycle
}

// entryOf returns the entry of a member: what the batch shares, and what the member's item knows, with
// the attempts that it does not count yet. Its Cycle is wrong; the run knows the number.
func (batch *item) entryOf(it *item, uncounted int) Entry {
	e := batch.Entry
	e.Pod, e.FirstEnqueued = it.Pod, it.FirstEnqueued
	e.Attempts, e.Refusals = it.Attempts+uncounted, it.Refusals+uncounted
	return e
}

// each appends an item for each pod that the item stands for, with the number of its last attempt. The
// items for members are copies, only to be listed.
func (it *item) each(to []*item) []*item {
	if it.members == nil {
		it.Cycle, it.run = it.cycle(), nil
		return append(to, it)
	}
	it.members.each(func(m *item, uncounted int) {
		e := it.entryOf(m, uncounted)
		e.Cycle = it.run.cycleOf(m)
		to = append(to, &item{Entry: e, due: it.due})
	})
	return to
}

// handedOut returns a copy of the item's entry that the caller may keep.
func (it *item) handedOut() Entry {
	e := it.Entry.copied()
	if it.group == nil {
		return e
	}
	e.Group = e.Group.copied()
	members := slices.SortedFunc(slices.Values(it.group.waiting.items), compareTries)
	for _, m := range members {
		e.Group.Members = append(e.Group.Members, m.Entry.copied())
	}
	return e
}

// compareTries is the order in which the members of a group are tried (rule 5.8.3).
func compareTries(a, b *item) int {
	return cmp.Or(
		cmp.Compare(b.Pod.PriorityValue(), a.Pod.PriorityValue()),
		cmp.Compare(b.Attempts, a.Attempts),
		a.Enqueued.Compare(b.Enqueued),
		priority.CompareIdentity(a.Pod, b.Pod),
	)
}

// compareDue sorts by when items are due; never comes last.
func compareDue(a, b *item) int {
	switch {
	case a.due.IsZero() && b.due.IsZero():
		return 0
	case a.due.IsZero():
		return 1
	case b.due.IsZero():
		return -1
	}
	return a.due.Compare(b.due)
}

// order is the order of the active pool.
func (c *Config) order(a, b *item) int {
	if c.Compare != nil {
		if o := c.Compare(&a.Entry, &b.Entry); o != 0 {
			return o
		}
	}
	return CompareEntries(&a.Entry, &b.Entry)
}
