package metrics

import (
	"maps"
	"slices"
	"time"
)

// Histogram counts numbers or durations in buckets of their size. The zero value has counted
// nothing.
type Histogram[N int | time.Duration] struct {
	// Buckets[i] counts the numbers that are at most Bounds[i] and more than the bound before. There is
	// one more bucket than bounds: the last one is for numbers beyond all bounds. Both slices are nil as
	// long as nothing was counted. Bounds are shared: do not change them.
	Buckets []uint64
	Bounds  []N
	// Sum is the sum of all numbers. Instead of overflowing it stays at the largest number of its type.
	Sum N
}

// These are the bounds of the reference's buckets. attemptBounds go from 1 ms to about 16 s, podBounds, for
// all attempts of a pod together, from 10 ms to about 87 minutes, and stepBounds, for a step of preemption,
// from 1 ms to about 33 s. triesBounds are for the number of attempts of a pod, victimBounds and groupBounds
// for the number of victims of a plan for a pod and for a group.
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

// Count returns how many numbers were counted.
func (h *Histogram[N]) Count() uint64 {
	n := uint64(0)
	for _, b := range h.Buckets {
		n += b
	}
	return n
}

// add counts a number. The first call gives the histogram its bounds. A negative number counts as 0.
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

// most returns the largest number of a type.
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

// addTo counts a number in the histogram that a map has for a key. It makes the map and the histogram if
// needed.
func addTo[K comparable, N int | time.Duration](to *map[K]Histogram[N], key K, bounds []N, n N) {
	if *to == nil {
		*to = map[K]Histogram[N]{}
	}
	h := (*to)[key]
	h.add(n, bounds)
	(*to)[key] = h
}

// cloneHistograms returns a copy of the map whose histograms share no buckets with it.
func cloneHistograms[K comparable, N int | time.Duration](of map[K]Histogram[N]) map[K]Histogram[N] {
	out := maps.Clone(of)
	for key, h := range out {
		out[key] = h.copied()
	}
	return out
}
