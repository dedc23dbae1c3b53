package queue

import (
	"slices"
	"time"
)

// batchRefusal is one call of [Queue.Refuse] that refuses batches as a whole, in the queue
// that it is given each time. config says how pods are delayed, and steps is the failure from
// which on the backoff is the longest.
type batchRefusal struct {
	core   *core
	config *Config
	steps  int
	r      *Refusing
	now    time.Time
	stop   *item // the first item that is not refused, nil for none
	// refused are the items with pods before stop. known and unknown are the items of one
	// pool, by whether their classes know an answer at once.
	refused, known []refusedItem
	unknown        []unknownItem
	// parted are new items for pods that were in a batch and got another answer than the rest
	// of it. They are not sorted into a pool yet.
	parted []*item
	// heads are items that calls use again, the first used of them in this call.
	heads []*item
	used  int
	out   refusals
	run   *refusalRun
	// results are the items that go back to a pool. found has their indexes.
	results []result
	found   map[resultKey]int
}

// refusedItem is an item with refused pods: a single pod, or members of a batch. rest are
// the members that are not refused.
type refusedItem struct {
	it            *item
	members, rest *batchParts
	filters       []string
	moved         bool // members are in another batch from now on
}

func (x *refusedItem) size() int {
	if x.members == nil {
		return 1
	}
	return x.members.size
}

// unknownItem is an item, or the pods of one class of a batch, without a known answer.
type unknownItem struct {
	it    *item // the first of them, for a batch of several classes
	batch *item // nil for an item in the pool
}

// result is an item that goes back to a pool, with the step of its backoff.
type result struct {
	it            *item
	more          *batchParts // that join it
	step, classes int
	filters       []string
}

// resultKey is equal for refused pods that may go back in one item.
type resultKey struct {
	priority int32
	step     int
	filters  string
	class    Class // only for those with terms of affinity
}

func portionOf(it *item, h *heap) portion {
	p := portion{priority: it.Pod.PriorityValue(), enqueued: it.Enqueued}
	if it.pool == backoff {
		p.backoff, p.backoffEnd = true, it.BackoffEnd
	}
	if it.batched.members == nil {
		p.single = it
	}
	return p
}

// behind reports whether an item is not before the stop.
func (s *batchRefusal) behind(h *heap, it *item) bool {
	return s.stop != nil && h.order(it, s.stop) >= 0
}

// fresh reports whether the item's pods were last tried in attempt [Refusing.Since] or in an
// earlier one.
func (s *batchRefusal) fresh(it *item) bool {
	if it.batched.run != nil {
		return it.batched.run.last <= s.r.Since
	}
	return it.Cycle <= s.r.Since
}

// release keeps the memory of a call for the next one, and nothing else.
func (s *batchRefusal) release() {
	clear(s.refused)
	clear(s.known)
	clear(s.unknown)
	clear(s.results)
	for _, it := range s.heads[:s.used] {
		*it = item{}
	}
	clear(s.found)
	*s = batchRefusal{config: s.config, steps: s.steps, refused: s.refused[:0], known: s.known[:0], unknown: s.unknown[:0], parted: s.parted[:0], heads: s.heads, results: s.results[:0], found: s.found}
}

// sortedFilters returns filters sorted and each once. The slice is only read.
func sortedFilters(filters []string) []string {
	for i := 1; i < len(filters); i++ {
		if filters[i-1] >= filters[i] {
			return distinct(filters)
		}
	}
	return slices.Clip(filters)
}
