package execution

import (
	"maps"
	"slices"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/priority/queue"
)

// Metrics counts what kube-scheduler counts about preemption. Its zero value is
// ready, and a nil *Metrics counts nothing. Any number of goroutines may use it
// at once. Every call takes constant time, but for the copy that Values makes.
type Metrics struct {
	// Release is whose metrics are counted; zero means [outrank.DefaultRelease], and so
	// does one that is not known. It is set before the first use.
	Release outrank.Release

	mu      sync.Mutex
	current MetricValues
}

// MetricValues are the values of a [Metrics] at one moment.
type MetricValues struct {
	// Release is that of the Metrics.
	Release outrank.Release
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
	// Incoming is how many pods have entered each part of the queue, nil until
	// [Metrics.SetIncoming] is called.
	Incoming []queue.Incoming
	// Executions is how many plans were carried out beside the next attempts, by how
	// that ended as the release counts it (rule 14.5.10).
	Executions map[ExecutionResult]uint64
	// Groups are those about groups. They are left out of Families where the release has
	// none of them.
	Groups GroupMetricValues
}

// ExecutionResult is how carrying out a plan counts.
type ExecutionResult string

// The results.
const (
	ExecutionSucceeded ExecutionResult = "success"
	ExecutionFailed    ExecutionResult = "error"
)

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
	// Incomplete and Waiting are pods whose group is not known, and those that came
	// while their group was being tried. Releases before v1.37 have no such parts.
	Incomplete, Waiting int
	// Groups is how many groups each part has, and Grouped how many of the pods above are
	// in them. Both are zero where no groups are queued.
	Groups, Grouped QueueParts
}

// QueueParts counts something in the parts of a queue that hold groups.
type QueueParts struct{ Active, Backoff, Unschedulable, Gated int }

// PendingOf is how many pods and groups a queue holds, for [Metrics.SetPending].
func PendingOf(pods queue.Counts, entities queue.Entities) PendingPods {
	single, groups := entities.Pods, entities.Groups
	return PendingPods{
		Active: pods.Active, Backoff: pods.Backoff, Unschedulable: pods.Unschedulable, Gated: pods.Gated,
		Incomplete: pods.Incomplete, Waiting: pods.Waiting,
		Groups: QueueParts{groups.Active, groups.Backoff, groups.Unschedulable, groups.Gated},
		Grouped: QueueParts{
			pods.Active - single.Active, pods.Backoff - single.Backoff, pods.Unschedulable - single.Unschedulable, pods.Gated - single.Gated,
		},
	}
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

// SetIncoming sets how many pods have entered each part of the queue, which is what
// Incoming of a queue returns. The slice is copied.
func (m *Metrics) SetIncoming(in []queue.Incoming) {
	m.change(func(c *MetricValues) { c.Incoming = slices.Clone(in) })
}

// AddExecution counts a plan that was carried out beside the next attempts, and
// whether that failed. Before v1.37 it counts as a success whatever happened (rule
// 14.5.10).
func (m *Metrics) AddExecution(failed bool) {
	m.change(func(c *MetricValues) {
		result := ExecutionSucceeded
		if failed && release.Of(release.Release(m.Release)).TrueResults {
			result = ExecutionFailed
		}
		if c.Executions == nil {
			c.Executions = map[ExecutionResult]uint64{}
		}
		c.Executions[result]++
	})
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
		copied.Release = m.Release
		copied.Incoming, copied.Executions = slices.Clone(c.Incoming), maps.Clone(c.Executions)
		copied.ScheduleAttempts = maps.Clone(c.ScheduleAttempts)
		copied.Groups = c.Groups.copied()
		copied.AttemptDurations, copied.PodDurations = cloneHistograms(c.AttemptDurations), cloneHistograms(c.PodDurations)
		if c.Pending != nil {
			p := *c.Pending
			copied.Pending = &p
		}
	})
	return copied
}
