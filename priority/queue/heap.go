package queue

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
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

// The places of members of groups that wait, in none of the pools themselves.
const (
	inGroup    pool = poolCount + 1 + iota // with their group, in the pool of that
	apart                                  // until their group comes back
	incomplete                             // until their group is known
)

// item is a pod inside a queue.
type item struct {
	Entry
	key podKey
	// pool is the pool of the item, at its index in that pool's heap.
	pool pool
	at   int
	// arrival numbers the items in the order in which they became active.
	arrival int64
	// due is when an unschedulable pod is tried again without an event, and when the
	// gates of a gated one are asked; zero there means never. flushed is when time
	// alone had it tried the last time.
	due, flushed time.Time
	// wasHeld says that the pod was gated since its last attempt.
	wasHeld bool
	// For a pod in flight: moved says that something happened to this pod alone
	// that may help it, updated that Pod is newer than the version that was
	// popped.
	moved, updated bool

	// class is that of the pod, nil where it was not asked for. run is that of the
	// latest attempt if it was refused among many: Cycle is not the number then.
	class Class
	run   *refusalRun
	// members are the pods that a crowd stands for, nil for a single pod. member
	// says that the pod is one of them.
	members *crowdParts
	member  bool

	// group is what the item of a group stands for, nil for a pod. For a member of a
	// group leaf is the key of that group, else empty, and of is the item of the
	// group that it waits with or for.
	group *waitingGroup
	leaf  outrank.Key
	of    *item
}

// podKey is namespace and name. Unlike [outrank.Pod.Key] it allocates nothing.
type podKey struct{ namespace, name string }

// heap is a binary heap of items that know their index, so that any of them can
// be removed in O(log n). The order must be total: with ties the first item would
// depend on earlier operations.
type heap struct {
	items []*item
	count int // of pods
	// groups is how many items are groups, and grouped how many pods these have.
	groups, grouped int
	order           func(a, b *item) int
}

// tally counts an item in or out.
func (h *heap) tally(it *item, times int) {
	h.count += times * it.size()
	if it.group != nil {
		h.groups += times
		h.grouped += times * it.size()
	}
}

func (h *heap) head() *item {
	if len(h.items) == 0 {
		return nil
	}
	return h.items[0]
}

func (h *heap) push(it *item) {
	h.tally(it, 1)
	it.at = len(h.items)
	h.items = append(h.items, it)
	h.up(it.at)
}

func (h *heap) remove(it *item) {
	h.tally(it, -1)
	at, last := it.at, len(h.items)-1
	h.swap(at, last)
	h.items[last] = nil
	h.items = h.items[:last]
	if at < last {
		h.fix(h.items[at])
	}
}

// takeOut takes the chosen items out and appends them. Time O(n), and O(log n) for
// each of them unless they are many.
func (h *heap) takeOut(to []*item, chosen func(*item) bool) []*item {
	first := len(to)
	for _, it := range h.items {
		if chosen(it) {
			to = append(to, it)
		}
	}
	out := to[first:]
	if len(out) == 0 {
		return to
	}
	was := out[0].pool
	switch {
	case len(out) == len(h.items):
		clear(h.items)
		h.items, h.count, h.groups, h.grouped = h.items[:0], 0, 0, 0
	case len(out) > len(h.items)/16:
		for _, it := range out {
			it.pool = poolCount // in none
			h.tally(it, -1)
		}
		h.items = slices.DeleteFunc(h.items, func(it *item) bool { return it.pool == poolCount })
		for _, it := range out {
			it.pool = was
		}
		h.restore()
	default:
		for _, it := range out {
			h.remove(it)
		}
	}
	return to
}

// restore makes a heap of items in any order.
func (h *heap) restore() {
	for i, it := range h.items {
		it.at = i
	}
	for at := len(h.items)/2 - 1; at >= 0; at-- {
		h.down(at)
	}
}

// fix restores the order after the key of an item has changed.
func (h *heap) fix(it *item) {
	h.up(it.at)
	h.down(it.at)
}

func (h *heap) up(at int) {
	for at > 0 {
		parent := (at - 1) / 2
		if h.order(h.items[at], h.items[parent]) >= 0 {
			return
		}
		h.swap(at, parent)
		at = parent
	}
}

func (h *heap) down(at int) {
	for {
		first := at
		for child := 2*at + 1; child <= 2*at+2 && child < len(h.items); child++ {
			if h.order(h.items[child], h.items[first]) < 0 {
				first = child
			}
		}
		if first == at {
			return
		}
		h.swap(at, first)
		at = first
	}
}

func (h *heap) swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	h.items[i].at, h.items[j].at = i, j
}
