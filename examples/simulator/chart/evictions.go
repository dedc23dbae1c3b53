package chart

import (
	"cmp"
	"maps"
	"slices"
)

// Evicted counts the evicted pods of one priority, in every stretch and in total. Pods that are evicted at
// the very end count in the last stretch.
type Evicted struct {
	Priority int32
	Pods     []int
	Total    int
}

// evictions counts evicted pods by priority.
type evictions struct {
	// pending are the evictions of the last sample. Their stretch is only known once a later time is
	// recorded.
	pending map[int32]int
	// total counts all evictions of the run.
	total map[int32]int
}

// evict records the evictions of a sample.
func (e *evictions) evict(pods map[int32]int) {
	for priority, n := range pods {
		if n == 0 {
			continue
		}
		if e.pending == nil {
			e.pending = map[int32]int{}
		}
		if e.total == nil {
			e.total = map[int32]int{}
		}
		e.pending[priority] = plusSat(e.pending[priority], n)
		e.total[priority] = plusSat(e.total[priority], n)
	}
}

// flush moves the pending evictions to their stretch.
func (e *evictions) flush(c *column) {
	if len(e.pending) > 0 {
		c.evict(e.pending)
		clear(e.pending)
	}
}

// evict adds evictions to the stretch.
func (c *column) evict(pods map[int32]int) {
	if len(pods) > 0 && c.evicted == nil {
		c.evicted = map[int32]int{}
	}
	for priority, n := range pods {
		c.evicted[priority] = plusSat(c.evicted[priority], n)
	}
}

// evicted returns the recorded evictions, the highest priority first. Pending ones count in the last stretch,
// and stay pending.
func (r *Recorder) evicted() []Evicted {
	var out []Evicted
	for _, priority := range slices.Sorted(maps.Keys(r.total)) {
		e := Evicted{Priority: priority, Pods: make([]int, len(r.columns)), Total: r.total[priority]}
		for i := range r.columns {
			e.Pods[i] = r.columns[i].evicted[priority]
		}
		if last := len(e.Pods) - 1; last >= 0 {
			e.Pods[last] = plusSat(e.Pods[last], r.pending[priority])
		}
		out = append(out, e)
	}

	slices.SortFunc(out, func(a, b Evicted) int { return cmp.Compare(b.Priority, a.Priority) })
	return out
}

// plusSat adds two numbers that are not negative, and stops at the largest int.
func plusSat(a, b int) int {
	if sum := a + b; sum >= a {
		return sum
	}
	return int(^uint(0) >> 1)
}
