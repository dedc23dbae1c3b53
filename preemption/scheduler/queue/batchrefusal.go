package queue

import (
	"slices"
	"time"
)

// batchRefusal is the state of one call of [Queue.Refuse] that refuses batches as a whole. A queue keeps one
// for all its calls, so that they share memory.
type batchRefusal struct {
	// config says how pods are delayed. steps is the number of failures after which the backoff no
	// longer grows: pods that failed at least so often may share a batch.
	config *Config
	steps  int

	// core is the queue's; refusing and now are the arguments of the call.
	core     *core
	refusing *Refusing
	now      time.Time
	// stop is the first item that is not refused, nil if all are refused. No item behind it is refused.
	stop *item
	// refused are the items with refused pods: those before stop.
	refused []refusedItem
	// known and unknown are the items of the pool that is being searched. The classes of known items have
	// answered, the classes of unknown ones must be asked with Refuses.
	known   []refusedItem
	unknown []unknownItem
	// parted are new items for pods that left a batch because their class gave another answer than the
	// rest of it. They are not sorted into a pool yet.
	parted []*item
	// heads are scratch items that calls share; see headOf. This call uses the first used of them.
	heads []*item
	used  int
	out   refusals
	run   *refusalRun
	// results are the items that go back to a pool. found maps a key to the index of the result that
	// further pods with the key join.
	results []result
	found   map[resultKey]int
}

// refusedItem is an item with refused pods: a single pod, or a batch. members are the refused members of
// the batch, nil for a single pod; rest are the members that are not refused.
type refusedItem struct {
	it            *item
	members, rest *batchParts
	filters       []string
	// moved says that the refused members go to another batch.
	moved bool
}

func (x *refusedItem) size() int {
	if x.members == nil {
		return 1
	}
	return x.members.size
}

// unknownItem is an item, or the pods of one class in a batch, whose class must be asked with Refuses.
type unknownItem struct {
	// it is the item itself, or an item that stands for the first pod of the class in the batch.
	it *item
	// batch is the batch that the class is part of, nil for an item of its own.
	batch *item
}

// result is an item that goes back to a pool.
type result struct {
	it *item
	// joining are the members of other items that join it.
	joining *batchParts
	// step is the number of failures that the backoff goes by, at most steps. classes is the number of
	// classes once all have joined.
	step, classes int
	filters       []string
}

// resultKey is equal for refused pods that may go back in one item.
type resultKey struct {
	priority int32
	step     int
	filters  string
	// class is nil unless the pods have terms of affinity. Pods with such terms share a batch only within one
	// class.
	class Class
}

// portionOf returns the portion of an item, with the keys by which the item's pool sorts it. The caller adds
// the members of a batch.
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

// behind reports whether an item of the heap is the stop or comes after it.
func (s *batchRefusal) behind(h *heap, it *item) bool {
	return s.stop != nil && h.order(it, s.stop) >= 0
}

// fresh reports whether all of the item's pods are fresh, as [Refusing.Since] defines it. For pods that were
// refused together it compares the last attempt of their run, which may be later than their own: false then
// only means that the pods are refused one by one.
func (s *batchRefusal) fresh(it *item) bool {
	if it.run != nil {
		return it.run.last <= s.refusing.Since
	}
	return it.Cycle <= s.refusing.Since
}

// release forgets all about the call, but keeps its memory for the next one.
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

// sortedFilters returns the filters sorted and without duplicates. If they are so already it returns the
// slice itself, which must not be changed then.
func sortedFilters(filters []string) []string {
	for i := 1; i < len(filters); i++ {
		if filters[i-1] >= filters[i] {
			return distinct(filters)
		}
	}
	return slices.Clip(filters)
}
