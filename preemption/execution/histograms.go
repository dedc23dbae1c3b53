package execution

import (
	"maps"
	"math"
	"slices"
	"time"
)

// DurationHistogram counts durations by their length.
type DurationHistogram struct {
	// Buckets[i] counts the durations of at most Bounds[i] that are longer than the
	// bound before; the last of Buckets, one more than Bounds, those beyond all
	// bounds. Bounds are shared: do not change them.
	Buckets []uint64
	Bounds  []time.Duration
	// Sum is the sum of all durations; it stays at the largest there is.
	Sum time.Duration
}

// The bounds of the reference: from 1 ms to some 16 s for an attempt, from 10 ms to
// some 87 minutes for all attempts of a pod, and how many these are.
var (
	attemptBounds = doubling(time.Millisecond, 15)
	podBounds     = doubling(10*time.Millisecond, 20)
	triesBounds   = [...]int{1, 2, 4, 8, 16}
)

func doubling(first time.Duration, n int) []time.Duration {
	bounds := make([]time.Duration, n)
	for i := range bounds {
		bounds[i] = first << i
	}
	return bounds
}

// Count returns the number of durations.
func (h *DurationHistogram) Count() uint64 { return sumOf(h.Buckets) }

// add counts a duration; a negative one counts as none.
func (h *DurationHistogram) add(d time.Duration) {
	d = max(d, 0)
	at, _ := slices.BinarySearch(h.Bounds, d)
	h.Buckets[at]++
	if h.Sum += d; h.Sum < 0 {
		h.Sum = math.MaxInt64
	}
}

// TriesHistogram counts the pods that were scheduled by how many attempts that took.
type TriesHistogram struct {
	// Buckets count the pods with at most 1, 2, 4, 8 and 16 attempts, each without
	// those of the bound before, and the last those with more.
	Buckets [len(triesBounds) + 1]uint64
	// Sum is the number of attempts of all these pods.
	Sum uint64
}

// Count returns the number of pods.
func (h *TriesHistogram) Count() uint64 { return sumOf(h.Buckets[:]) }

// VictimHistogram counts plans by their number of victims.
type VictimHistogram struct {
	// Buckets[i] counts the plans with at most VictimBounds()[i] victims and more
	// than the bound before; the last counts those beyond all bounds.
	Buckets [len(histogramBounds) + 1]uint64
	// Sum is the number of victims of all plans.
	Sum uint64
}

// Seven buckets that double, as in the reference.
var histogramBounds = [...]int{1, 2, 4, 8, 16, 32, 64}

// VictimBounds returns the upper bounds of a [VictimHistogram]: 1, 2, 4, 8, 16, 32
// and 64. The slice is the caller's.
func VictimBounds() []int { return slices.Clone(histogramBounds[:]) }

// Count returns the number of plans.
func (h *VictimHistogram) Count() uint64 {
	return sumOf(h.Buckets[:])
}

// GroupHistogram counts plans by a number.
type GroupHistogram struct {
	// Buckets[i] counts the plans with at most 1, 2, 4 and so on up to 1024, without
	// those of the bucket before; the last counts those with more.
	Buckets [groupBuckets + 1]uint64
	Sum     uint64
}

const groupBuckets = 11

// Count returns the number of plans.
func (h *GroupHistogram) Count() uint64 { return sumOf(h.Buckets[:]) }

func (h *GroupHistogram) add(n int) {
	n = max(n, 0)
	at := 0
	for at < groupBuckets && n > 1<<at {
		at++
	}
	h.Buckets[at]++
	h.Sum += uint64(n)
}

// stepBounds are those of the durations: from 1 ms to some 33 s.
var stepBounds = doubling(time.Millisecond, 16)

func sumOf(buckets []uint64) uint64 {
	n := uint64(0)
	for _, b := range buckets {
		n += b
	}
	return n
}

// addTo counts a duration in the histogram of a map that has the key.
func addTo[K comparable](to *map[K]DurationHistogram, key K, bounds []time.Duration, d time.Duration) {
	if *to == nil {
		*to = map[K]DurationHistogram{}
	}
	h, ok := (*to)[key]
	if !ok {
		h = DurationHistogram{Buckets: make([]uint64, len(bounds)+1), Bounds: bounds}
	}
	h.add(d)
	(*to)[key] = h
}

func cloneHistograms[K comparable](of map[K]DurationHistogram) map[K]DurationHistogram {
	out := maps.Clone(of)
	for key, h := range out {
		h.Buckets = slices.Clone(h.Buckets)
		out[key] = h
	}
	return out
}
