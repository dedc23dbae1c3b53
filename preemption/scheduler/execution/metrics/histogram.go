package metrics

import (
	"maps"
	"slices"
	"time"
)

// Histogram counts numbers, or durations, by how large they are. The zero value has counted
// nothing.
type Histogram[N int | time.Duration] struct {
	// Buckets[i] counts the numbers that are at most Bounds[i] and more than the bound before. There is
	// one bucket more than bounds, the last, for numbers beyond all bounds. Both slices are nil as
	// long as nothing was counted. Bounds are shared: do not change them.
	Buckets []uint64
	Bounds  []N
	// Sum is the sum of all numbers. It never exceeds the largest number of its type.
	Sum N
}

// These are the bounds of the reference. An attempt takes from 1 ms to some 16 s, all attempts of a
// pod from 10 ms to some 87 minutes, and a step of preemption from 1 ms to some 33 s. The last three are
// for the attempts of a pod, and for the victims of a plan for a pod and for a group.
var (
	attemptBounds = doubling(time.Millisecond, 15)
	podBounds     = doubling(10*time.Millisecond, 20)
	stepBounds    = doubling(time.Millisecond, 16)
	triesBounds   = doubling(1, 5)
	victimBounds  = doubling(1, 7)
	groupBounds   = doubling(1, 11)
)

// doubling returns n bounds, each twice the one before.
func doubling[N int | time.Duration](first N, n int) []N {
	bounds := make([]N, n)
	for i := range bounds {
		bounds[i] = first << i
	}
	return bounds
}

// Count returns how many were counted.
func (h *Histogram[N]) Count() uint64 {
	n := uint64(0)
	for _, b := range h.Buckets {
		n += b
	}
	return n
}

// add counts a number by these bounds. A negative number counts as 0.
func (h *Histogram[N]) add(n N, bounds []N) {
	if h.Buckets == nil {
		h.Buckets, h.Bounds = make([]uint64, len(bounds)+1), bounds
	}
	n = max(n, 0)
	at, _ := slices.BinarySearch(h.Bounds, n)
	h.Buckets[at]++

	h.Sum += n
	if h.Sum < 0 { // it has wrapped around
		h.Sum = most[N]()
	}
}

// most is the largest number of a type.
func most[N int | time.Duration]() N {
	n := N(1)
	for n<<1 > 0 {
		n = n<<1 | 1
	}
	return n
}

// copied returns a histogram with buckets of its own.
func (h Histogram[N]) copied() Histogram[N] {
	h.Buckets = slices.Clone(h.Buckets)
	return h
}

// addTo counts a number in the histogram of a map that has the key.
func addTo[K comparable, N int | time.Duration](to *map[K]Histogram[N], key K, bounds []N, n N) {
	if *to == nil {
		*to = map[K]Histogram[N]{}
	}
	h := (*to)[key]
	h.add(n, bounds)
	(*to)[key] = h
}

// cloneHistograms returns a copy that shares no buckets.
func cloneHistograms[K comparable, N int | time.Duration](of map[K]Histogram[N]) map[K]Histogram[N] {
	out := maps.Clone(of)
	for key, h := range out {
		out[key] = h.copied()
	}
	return out
}
