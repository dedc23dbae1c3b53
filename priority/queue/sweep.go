package queue

import (
	"slices"
	"time"
)

// sweep is one call of [Queue.Refuse] that refuses crowds as a whole, in the queue that it
// is given each time. config says how pods are delayed, and steps is the failure from which
// on the backoff is the longest.
type sweep struct {
	core   *core
	config *Config
	steps  int
	r      *Refusing
	now    time.Time
	stop   *item // the first item that is not refused, nil for none
	// refused are the items with pods before stop; known and unknown are those of a
	// pool by what their classes say at first.
	refused, known []refusedItem
	unknown        []unknownItem
	// parted are items with pods that were in a crowd before and are answered
	// otherwise than the rest; they are yet to be sorted in.
	parted []*item
	// heads are used again; so many are in use.
	heads []*item
	used  int
	out   Refusals
	run   *refusalRun
	// results are the items as they go back, found by class and step of the backoff.
	results []result
	found   map[resultKey]int
}

// refusedItem is an item of which some pods are refused: itself if it is a single
// one, or the members.
type refusedItem struct {
	it            *item
	members, rest *crowdParts
	filters       []string
	moved         bool // members are in another crowd from now on
}

func (x *refusedItem) size() int {
	if x.members == nil {
		return 1
	}
	return x.members.size
}

// unknownItem is an item that nothing is known of, or such pods of a crowd.
type unknownItem struct {
	it    *item // the first of them, for a crowd of several classes
	crowd *item // nil for an item in the pool
}

// result is an item that goes back, with the step of its backoff.
type result struct {
	it            *item
	more          *crowdParts // that join it
	step, classes int
	filters       []string
}

// resultKey is what the pods of an item have in common that goes back.
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
	if it.members == nil {
		p.single = it
	}
	return p
}

// behind reports whether an item is not before the stop.
func (s *sweep) behind(h *heap, it *item) bool {
	return s.stop != nil && h.order(it, s.stop) >= 0
}

// fresh reports whether the item's pods were not tried since the attempt that
// counts.
func (s *sweep) fresh(it *item) bool {
	if it.run != nil {
		return it.run.last <= s.r.Since
	}
	return it.Cycle <= s.r.Since
}

// release keeps the memory of a sweep for the next one, and nothing else.
func (s *sweep) release() {
	clear(s.refused)
	clear(s.known)
	clear(s.unknown)
	clear(s.results)
	for _, it := range s.heads[:s.used] {
		*it = item{}
	}
	clear(s.found)
	*s = sweep{config: s.config, steps: s.steps, refused: s.refused[:0], known: s.known[:0], unknown: s.unknown[:0], parted: s.parted[:0], heads: s.heads, results: s.results[:0], found: s.found}
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
