package queue

import (
	"slices"
)

// heap is a binary heap of items that know their index, so that any of them can be removed in O(log n). The
// order must be total: otherwise earlier operations would decide which of two equal items is the first.
type heap struct {
	items []*item
	order func(a, b *item) int
	// count is the number of pods. An item that is a batch or a group counts as many as it has.
	count int
	// groups counts the items that are groups, and grouped counts their pods.
	groups, grouped int
}

// tally counts an item's pods in if times is 1, and out if it is -1. An item whose size changes while it is
// in the heap is counted out before the change and in after it.
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
	it.index = len(h.items)
	h.items = append(h.items, it)
	h.up(it.index)
}

func (h *heap) remove(it *item) {
	h.tally(it, -1)
	at, last := it.index, len(h.items)-1
	h.swap(at, last)
	h.items[last] = nil
	h.items = h.items[:last]
	if at < last {
		h.fix(h.items[at])
	}
}

// takeOut takes the chosen items out and appends them to a slice. Their field pool does not change.
// chosen is asked once about each item, before any is taken out. Time O(n), and O(log n) for each chosen
// item while these are few.
func (h *heap) takeOut(to []*item, chosen func(*item) bool) []*item {
	first := len(to)
	for _, it := range h.items {
		if chosen(it) {
			to = append(to, it)
		}
	}
	out := to[first:]

	// Removing k items one by one takes O(k log n), removing many at once and restoring the heap O(n).
	switch {
	case len(out) == 0:
	case len(out) == len(h.items):
		clear(h.items)
		h.items = h.items[:0]
		h.count, h.groups, h.grouped = 0, 0, 0
	case len(out) > len(h.items)/16:
		h.removeMany(out)
	default:
		for _, it := range out {
			h.remove(it)
		}
	}
	return to
}

// removeMany removes items in O(n), however many they are. Their field pool does not change.
func (h *heap) removeMany(out []*item) {
	was := out[0].pool
	for _, it := range out {
		it.pool = poolCount // marks it for the deletion
		h.tally(it, -1)
	}
	h.items = slices.DeleteFunc(h.items, func(it *item) bool { return it.pool == poolCount })
	for _, it := range out {
		it.pool = was
	}
	h.restore()
}

// restore makes the items, whatever their order, a heap again. Time O(n).
func (h *heap) restore() {
	for i, it := range h.items {
		it.index = i
	}
	for at := len(h.items)/2 - 1; at >= 0; at-- {
		h.down(at)
	}
}

// fix restores the order after the key of an item has changed.
func (h *heap) fix(it *item) {
	h.up(it.index)
	h.down(it.index)
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
	h.items[i].index, h.items[j].index = i, j
}
