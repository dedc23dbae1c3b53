package execution

import (
	"maps"
	"slices"
	"sync"
)

// Metrics counts what kube-scheduler counts about preemption. Its zero value is
// ready, and a nil *Metrics counts nothing. Any number of goroutines may use it
// at once. Every call takes constant time, but for the copy that Values makes.
type Metrics struct {
	mu      sync.Mutex
	current MetricValues
}

// MetricValues are the values of a [Metrics] at one moment.
type MetricValues struct {
	// PreemptionAttempts is how often preemption was asked to make room (every
	// PostFilter), whatever the answer.
	PreemptionAttempts uint64
	// PreemptionVictims is the number of victims of each plan that was begun.
	PreemptionVictims VictimHistogram
	// ScheduleAttempts is how attempts to schedule a pod ended.
	ScheduleAttempts map[Attempt]uint64
	// AttemptDurations is how long these attempts took, as far as that was measured.
	AttemptDurations map[Attempt]DurationHistogram
	// PodAttempts is how many attempts the pods took that were scheduled, and
	// PodDurations how long they waited for it, by the number of attempts; 15 stands
	// for that and more.
	PodAttempts  TriesHistogram
	PodDurations map[int]DurationHistogram
	// Pending is how many pods wait, nil until [Metrics.SetPending] is called.
	Pending *PendingPods
}

// Attempt is an attempt to schedule a pod, as far as it is counted.
type Attempt struct {
	Result AttemptResult
	// Profile is the name of the scheduler.
	Profile string
}

// AttemptResult is how an attempt ended.
type AttemptResult string

// The results.
const (
	ResultScheduled     AttemptResult = "scheduled"
	ResultUnschedulable AttemptResult = "unschedulable"
	ResultError         AttemptResult = "error"
)

// PendingPods is the number of pods in each part of the scheduling queue, as the
// metric has it: a pod in flight is in none of them.
type PendingPods struct {
	Active, Backoff, Unschedulable, Gated int
}

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

// AddPreemption counts an attempt to preempt.
func (m *Metrics) AddPreemption() {
	m.change(func(c *MetricValues) { c.PreemptionAttempts++ })
}

// AddVictims counts a plan with n victims; a negative n counts as 0.
func (m *Metrics) AddVictims(n int) {
	n = max(n, 0)
	bucket, _ := slices.BinarySearch(histogramBounds[:], n)
	m.change(func(c *MetricValues) {
		c.PreemptionVictims.Buckets[bucket]++
		c.PreemptionVictims.Sum += uint64(n)
	})
}

// AddAttempt counts an attempt to schedule a pod.
func (m *Metrics) AddAttempt(a Attempt) {
	m.change(func(c *MetricValues) {
		if c.ScheduleAttempts == nil {
			c.ScheduleAttempts = map[Attempt]uint64{}
		}
		c.ScheduleAttempts[a]++
	})
}

// SetPending sets how many pods wait.
func (m *Metrics) SetPending(p PendingPods) {
	m.change(func(c *MetricValues) { c.Pending = &p })
}

func (m *Metrics) change(f func(*MetricValues)) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.current)
}

// Values returns a copy of all values as they are at one moment.
func (m *Metrics) Values() MetricValues {
	var copied MetricValues
	m.change(func(c *MetricValues) {
		copied = *c
		copied.ScheduleAttempts = maps.Clone(c.ScheduleAttempts)
		copied.AttemptDurations, copied.PodDurations = cloneHistograms(c.AttemptDurations), cloneHistograms(c.PodDurations)
		if c.Pending != nil {
			p := *c.Pending
			copied.Pending = &p
		}
	})
	return copied
}
