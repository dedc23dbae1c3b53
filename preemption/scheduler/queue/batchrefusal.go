package queue

import (
	"slices"
	"time"
)

// batchRefusal is one call of [Queue.Refuse] that refuses batches as a whole. A queue keeps one for all
// its calls, so that they share memory.
type batchRefusal struct {
	// config says how pods are delayed. steps is the number of failures from which on the backoff no
	// longer grows, so that pods which failed more often may be in one batch.
	config *Config
	steps  int

	// core, refusing and now are what the call is about.
	core     *core
	refusing *Refusing
	now      time.Time
	// stop is the first item that is not refused, nil for none. No item behind it is refused.
	stop *item
	// refused are the items with pods before stop.
	refused []refusedItem
	// known and unknown are the items of the pool that is being searched, by whether their classes
	// know an answer at once.
	known   []refusedItem
	unknown []unknownItem
	// parted are new items for pods that were in a batch and got another answer than the rest
	// of it. They are not sorted into a pool yet.
	parted []*item
	// heads are items that calls use again. This call uses the first ones, as many as used says.
	heads []*item
	used  int
	out   refusals
	run   *refusalRun
	// results are the items that go back to a pool. found has the index of the result that further
	// pods of a key join.
	results []result
	found   map[resultKey]int
}

// refusedItem is an item with refused pods: a single pod, or members of a batch. rest are
// the members that are not refused.
type refusedItem struct {
	it            *item
	members, rest *batchParts
	filters       []string
	// moved says that the refused members are in another batch from now on.
	moved bool
}

func (x *refusedItem) size() int {
	if x.members == nil {
		return 1
	}
	return x.members.size
}

// unknownItem is an item, or the pods of one class of a batch, without a known answer.
type unknownItem struct {
	// it is the item itself, or stands for the first pod of the class.
	it *item
	// batch is the batch that the class is part of, nil for an item of its own.
	batch *item
}

// result is an item that goes back to a pool.
type result struct {
	it *item
	// joining are the members that join it.
	joining *batchParts
	// step is the step of the backoff, and classes the number of classes once all have joined.
	step, classes int
	filters       []string
}

// resultKey is equal for refused pods that may go back in one item.
type resultKey struct {
	priority int32
	step     int
	filters  string
	// class is nil unless the pods have terms of affinity: a batch of such pods is of one class.
	class Class
}

// portionOf returns the keys by which the item's pool sorts it. The caller adds the members of a batch.
func portionOf(it *item, h *heap) portion {
	p := portion{priority: it.Pod.PriorityValue(), enqueued: it.Enqueued}
	if it.pool == backoff {
		p.backoff, p.backoffEnd = true, it.BackoffEnd
	}
	if it.members == nil {
		p.single = it
	}
	return p
}

// behind reports whether an item is the stop or comes after it.
func (s *batchRefusal) behind(h *heap, it *item) bool {
	return s.stop != nil && h.order(it, s.stop) >= 0
}

// fresh reports whether the item's pods were last tried in attempt [Refusing.Since] or in an
// earlier one. For pods that were refused together the last attempt of them all is decisive: the
// answer may be no for a pod that is fresh, and then the pods are refused one by one.
func (s *batchRefusal) fresh(it *item) bool {
	if it.run != nil {
		return it.run.last <= s.refusing.Since
	}
	return it.Cycle <= s.refusing.Since
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

	*s = batchRefusal{
		config: s.config, steps: s.steps,
		refused: s.refused[:0], known: s.known[:0], unknown: s.unknown[:0], parted: s.parted[:0],
		heads: s.heads, results: s.results[:0], found: s.found,
	}
}

// sortedFilters returns the filters sorted and each once. Where they are so already it returns the
// slice itself, which nobody may change.
func sortedFilters(filters []string) []string {
	for i := 1; i < len(filters); i++ {
		if filters[i-1] >= filters[i] {
			return distinct(filters)
		}
	}
	return slices.Clip(filters)
}
