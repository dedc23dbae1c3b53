package queue

import (
	"slices"
)

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
