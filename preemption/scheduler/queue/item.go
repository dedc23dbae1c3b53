package queue

import (
	"cmp"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

// pool is a place in which a queue keeps items. A pod inside is in exactly one place.
type pool uint8

const (
	active pool = iota
	backoff
	errorBackoff // backoff after an error, which nothing cuts short
	unschedulable
	gated    // held back by a gate
	inFlight // popped, and neither done nor put back
	poolCount
)

// The places of members that wait for or with their group. These are no pools.
const (
	inGroup    pool = poolCount + 1 + iota // the member waits with its group, in the pool of the group's item
	apart                                  // the member waits until its group comes back from an attempt
	incomplete                             // the member waits until its group is known
)

// item is what the pools hold: a pod, a batch of pods that are alike, or a group.
type item struct {
	Entry
	key podKey
	// pool is where the item is, or poolCount if it is in no pool. index is its place in the heap of the pool.
	pool  pool
	index int
	// arrival is the item's number in the order in which items became active.
	arrival int64
	// due is the time at which an unschedulable item is tried again, or the gates of a gated one are
	// asked, without an event. For a gated item zero means never.
	due time.Time
	// flushed is the last time at which the queue tried the item, or asked its gates, only because it
	// was due. Zero means never.
	flushed time.Time
	// wasHeld says that a gate has held the item since its last attempt.
	wasHeld bool
	// moved says that during the attempt something happened that may help this pod, and is not in
	// the queue's log of events. updated says that Pod is newer than the version that was popped.
	// Both are for a pod in flight.
	moved, updated bool

	batchState

	// group is set in the item of a group, nil for a pod.
	group *waitingGroup
	// leaf is the key of the group that the pod names, empty for a pod that is queued by itself.
	leaf outrank.Key
	// groupItem is the item of the group that the pod waits with or for, nil for other pods.
	groupItem *item
}

// batchState is the part of an item that is about batches: pods that are alike share an item after they
// were refused together.
type batchState struct {
	// class is the pod's class, nil before Refusing.Class was asked.
	class Class
	// run knows the number of the latest attempt of a pod that was refused together with others;
	// Entry.Cycle is then the number of an earlier attempt. It is nil for other pods.
	run *refusalRun
	// members are the pods that a batch stands for, nil for a single pod.
	members *batchParts
	// inBatch says that the pod is a member of a batch. The item of the batch has what the members share.
	inBatch bool
}

// waitingGroup is the part of an item that stands for a group.
type waitingGroup struct {
	id groupID
	// waiting are the group's pods that are not in flight. While the group is in flight they wait for it to
	// come back.
	waiting heap
	// tried says that the group is in flight.
	tried bool
}

// help says how an event helps a waiting pod (upstream's queueingStrategy). Stronger help is greater.
type help uint8

const (
	noHelp       help = iota // the pod goes on waiting
	afterBackoff             // the pod is tried again once its backoff is over
	atOnce                   // the pod is tried again whatever is left of its backoff
)

// waiting returns the pods of a group's item that are not in flight.
func (it *item) waiting() *heap { return &it.group.waiting }

// size returns the number of pods that the item stands for.
func (it *item) size() int {
	switch {
	case it.group != nil:
		return len(it.waiting().items)
	case it.members != nil:
		return it.members.size
	}
	return 1
}

// arrivals returns the numbers of pods and groups that enter a pool with the item.
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

// failed notes an attempt that failed: the time, the filters, and the counts that the backoff grows with
// (rule 5.3.2).
func (it *item) failed(e *Entry, now time.Time) {
	it.Enqueued, it.wasHeld = now, false
	it.FailedFilters, it.PendingFilters = distinct(e.FailedFilters), distinct(e.PendingFilters)

	// Pending filters count as failed ones even if the caller has not named them among those.
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

// cycle returns the number of the latest attempt with the item's pod, which is not in a batch.
func (it *item) cycle() int64 {
	if it.run != nil {
		return it.run.cycleOf(it)
	}
	return it.Cycle
}

// entryOf returns the entry of a member: the fields that the batch's members share, and the member's own.
// uncounted is the number of attempts that the member's item does not count yet. Cycle is not set right;
// the batch's run knows it.
func (batch *item) entryOf(it *item, uncounted int) Entry {
	e := batch.Entry
	e.Pod, e.FirstEnqueued = it.Pod, it.FirstEnqueued
	e.Attempts, e.Refusals = it.Attempts+uncounted, it.Refusals+uncounted
	return e
}

// each appends an item for each pod that it stands for, with the number of the pod's last attempt. The
// items for members of a batch are copies, fit only to be listed.
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
	members := slices.SortedFunc(slices.Values(it.waiting().items), compareTries)
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

// compareDue orders items by when they are due. Items that are never due come last.
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

// order compares two items of the active pool: by Config.Compare, and then by CompareEntries.
func (c *Config) order(a, b *item) int {
	if c.Compare != nil {
		if o := c.Compare(&a.Entry, &b.Entry); o != 0 {
			return o
		}
	}
	return CompareEntries(&a.Entry, &b.Entry)
}
