package metrics

import (
	"maps"
	"slices"
	"time"
)

// Histogram counts numbers, or durations, by how large they are. The zero value has counted
// nothing.
type Histogram[N int | time.Duration] struct {
	// Buckets[i] counts what is at most Bounds[i] and more than the bound before; the last
	// of Buckets, one more than Bounds, counts what is beyond all bounds. Both are nil as
	// long as nothing was counted. Bounds are shared: do not change them.
	Buckets []uint64
	Bounds  []N
	// Sum is the sum of all that was counted; it stays at the largest there is.
	Sum N
}

// The bounds of the reference. An attempt takes from 1 ms to some 16 s, all attempts of a
// pod from 10 ms to some 87 minutes, and a step of preemption from 1 ms to some 33 s. Next
// are how many attempts a pod takes, how many victims a plan for a pod has, and how many
// one for a group.
var (
	attemptBounds = doubling(time.Millisecond, 15)
	podBounds     = doubling(10*time.Millisecond, 20)
	stepBounds    = doubling(time.Millisecond, 16)
	triesBounds   = doubling(1, 5)
	victimBounds  = doubling(1, 7)
	groupBounds   = doubling(1, 11)
)

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

// add counts a number by these bounds; a negative one counts as none.
func (h *Histogram[N]) add(n N, bounds []N) {
	if h.Buckets == nil {
		h.Buckets, h.Bounds = make([]uint64, len(bounds)+1), bounds
	}
	n = max(n, 0)
	at, _ := slices.BinarySearch(h.Bounds, n)
	h.Buckets[at]++
	if h.Sum += n; h.Sum < 0 {
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

func cloneHistograms[K comparable, N int | time.Duration](of map[K]Histogram[N]) map[K]Histogram[N] {
	out := maps.Clone(of)
	for key, h := range out {
		out[key] = h.copied()
	}
	return out
}
