package execution

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
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

func sumOf(buckets []uint64) uint64 {
	n := uint64(0)
	for _, b := range buckets {
		n += b
	}
	return n
}

// add counts a duration; a negative one counts as none.
func (h *DurationHistogram) add(d time.Duration) {
	d = max(d, 0)
	at, _ := slices.BinarySearch(h.Bounds, d)
	h.Buckets[at]++
	if h.Sum += d; h.Sum < 0 {
		h.Sum = math.MaxInt64
	}
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

// AddAttemptDuration counts how long an attempt to schedule a pod took, by a clock of
// the caller's. A negative duration counts as none. [Metrics.AddAttempt] counts the
// attempt itself.
func (m *Metrics) AddAttemptDuration(a Attempt, took time.Duration) {
	m.change(func(c *MetricValues) { addTo(&c.AttemptDurations, a, attemptBounds, took) })
}

// AddScheduled counts a pod that has found its node after so many attempts, and how
// long it waited for that: since it first became active in the queue. The entry of
// the queue has both, as Attempts and, for a pod that was never gated, FirstEnqueued.
func (m *Metrics) AddScheduled(attempts int, waited time.Duration) {
	attempts = max(attempts, 0)
	bucket, _ := slices.BinarySearch(triesBounds[:], attempts)
	m.change(func(c *MetricValues) {
		c.PodAttempts.Buckets[bucket]++
		c.PodAttempts.Sum += uint64(attempts)
		addTo(&c.PodDurations, min(attempts, manyAttempts), podBounds, waited)
	})
}

// manyAttempts stands for so many attempts and more.
const manyAttempts = 15

func attemptsLabel(attempts int) string {
	if attempts >= manyAttempts {
		return strconv.Itoa(manyAttempts) + "+"
	}
	return strconv.Itoa(attempts)
}

// durationFamily has one histogram for each key, in the order of compare.
func durationFamily[K comparable](f MetricFamily, of map[K]DurationHistogram, compare func(a, b K) int, labels func(K) []MetricLabel) MetricFamily {
	f.Type = "histogram"
	for _, key := range slices.SortedFunc(maps.Keys(of), compare) {
		h := of[key]
		bounds := make([]float64, len(h.Bounds))
		for i, b := range h.Bounds {
			bounds[i] = b.Seconds()
		}
		f.addHistogram(labels(key), bounds, h.Buckets, h.Sum.Seconds())
	}
	return f
}

// addHistogram adds the samples of one histogram, whose buckets are cumulative there.
func (f *MetricFamily) addHistogram(labels []MetricLabel, bounds []float64, buckets []uint64, sum float64) {
	total := uint64(0)
	for i, n := range buckets {
		total += n
		bound := math.Inf(1)
		if i < len(bounds) {
			bound = bounds[i]
		}
		f.Samples = append(f.Samples, MetricSample{
			Name:   f.Name + "_bucket",
			Labels: append(slices.Clone(labels), MetricLabel{"le", strconv.FormatFloat(bound, 'g', -1, 64)}), Value: float64(total),
		})
	}
	f.Samples = append(f.Samples,
		MetricSample{Name: f.Name + "_sum", Labels: labels, Value: sum},
		MetricSample{Name: f.Name + "_count", Labels: labels, Value: float64(total)})
}

// families of the durations, as far as any were counted.
func (c *MetricValues) podFamilies() []MetricFamily {
	if c.PodAttempts.Count() == 0 {
		return nil
	}
	tries := MetricFamily{
		Name: "scheduler_pod_scheduling_attempts", Type: "histogram",
		Help: "Number of attempts that it took to schedule a pod.",
	}
	bounds := make([]float64, len(triesBounds))
	for i, b := range triesBounds {
		bounds[i] = float64(b)
	}
	tries.addHistogram(nil, bounds, c.PodAttempts.Buckets[:], float64(c.PodAttempts.Sum))
	return []MetricFamily{tries, durationFamily(MetricFamily{
		Name: "scheduler_pod_scheduling_sli_duration_seconds",
		Help: "Time from a pod's entry into the queue until it was scheduled, by the number of attempts.",
	}, c.PodDurations, cmp.Compare[int], func(n int) []MetricLabel { return []MetricLabel{{"attempts", attemptsLabel(n)}} })}
}

func (c *MetricValues) attemptDurationFamily() MetricFamily {
	return durationFamily(MetricFamily{
		Name: "scheduler_scheduling_attempt_duration_seconds",
		Help: "Time that an attempt to schedule a pod took, by how it ended.",
	}, c.AttemptDurations, compareAttempts, func(a Attempt) []MetricLabel {
		return []MetricLabel{{"profile", a.Profile}, {"result", string(a.Result)}}
	})
}
