package execution

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/priority/queue"
)

// Metrics counts what kube-scheduler counts about preemption. Its zero value is
// ready, and a nil *Metrics counts nothing. Any number of goroutines may use it
// at once. Every call takes constant time, but for the copy that Values makes.
type Metrics struct {
	// Release says which metrics are counted; zero means [outrank.DefaultRelease], and so
	// does one that is not known. It is set before the first use.
	Release outrank.Release

	mu      sync.Mutex
	current MetricValues
}

// AddPreemption counts an attempt to preempt.
func (m *Metrics) AddPreemption() {
	m.change(func(c *MetricValues) { c.PreemptionAttempts++ })
}

// AddVictims counts a plan with n victims; a negative n counts as 0.
func (m *Metrics) AddVictims(n int) {
	m.change(func(c *MetricValues) { c.PreemptionVictims.add(n, victimBounds) })
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

// SetIncoming sets how many pods have entered each part of the queue, as
// [queue.Queue.Incoming] returns it. The slice is copied.
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
		copied.PreemptionVictims, copied.PodAttempts = c.PreemptionVictims.copied(), c.PodAttempts.copied()
		copied.AttemptDurations, copied.PodDurations = cloneHistograms(c.AttemptDurations), cloneHistograms(c.PodDurations)
		if c.Pending != nil {
			p := *c.Pending
			copied.Pending = &p
		}
	})
	return copied
}

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
	m.change(func(c *MetricValues) {
		c.PodAttempts.add(attempts, triesBounds)
		addTo(&c.PodDurations, min(attempts, manyAttempts), podBounds, waited)
	})
}
