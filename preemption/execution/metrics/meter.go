package metrics

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/priority/queue"
)

// Meter counts what kube-scheduler counts about preemption (group 14.5). It is an
// [execution.Counter], and the one of package attempt. Its zero value is
// ready, and a nil *Meter counts nothing. Any number of goroutines may use it
// at once. Every call takes constant time, but for the copy that Values makes.
type Meter struct {
	// Release says which metrics are counted; zero means [outrank.DefaultRelease], and so
	// does one that is not known. It is set before the first use.
	Release outrank.Release

	mu      sync.Mutex
	current Values
}

// AddPreemption counts an attempt to preempt.
func (m *Meter) AddPreemption() {
	m.change(func(c *Values) { c.PreemptionAttempts++ })
}

// AddVictims counts a plan with n victims; a negative n counts as 0.
func (m *Meter) AddVictims(n int) {
	m.change(func(c *Values) { c.PreemptionVictims.add(n, victimBounds) })
}

// AddAttempt counts an attempt to schedule a pod.
func (m *Meter) AddAttempt(a execution.Attempt) {
	m.change(func(c *Values) {
		if c.ScheduleAttempts == nil {
			c.ScheduleAttempts = map[execution.Attempt]uint64{}
		}
		c.ScheduleAttempts[a]++
	})
}

// SetPending sets how many pods wait.
func (m *Meter) SetPending(p PendingPods) {
	m.change(func(c *Values) { c.Pending = &p })
}

// SetIncoming sets how many pods have entered each part of the queue, as
// [queue.Queue.Incoming] returns it. The slice is copied.
func (m *Meter) SetIncoming(in []queue.Incoming) {
	m.change(func(c *Values) { c.Incoming = slices.Clone(in) })
}

// AddExecution counts a plan that was carried out beside the next attempts, and the error of
// that, nil for a success. Before v1.37 it counts as a success whatever happened (rule
// 14.5.10).
func (m *Meter) AddExecution(err error) {
	m.change(func(c *Values) {
		result := ExecutionSucceeded
		if err != nil && release.Of(release.Release(m.Release)).TrueResults {
			result = ExecutionFailed
		}
		if c.Executions == nil {
			c.Executions = map[ExecutionResult]uint64{}
		}
		c.Executions[result]++
	})
}

func (m *Meter) change(f func(*Values)) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.current)
}

// Values returns a copy of all values as they are at one moment.
func (m *Meter) Values() Values {
	var copied Values
	m.change(func(c *Values) {
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
// the caller's. A negative duration counts as none. [Meter.AddAttempt] counts the
// attempt itself.
func (m *Meter) AddAttemptDuration(a execution.Attempt, took time.Duration) {
	m.change(func(c *Values) { addTo(&c.AttemptDurations, a, attemptBounds, took) })
}

// AddScheduled counts a pod that has found its node after so many attempts, and how
// long it waited for that: since it first became active in the queue. The entry of
// the queue has both, as Attempts and, for a pod that was never gated, FirstEnqueued.
func (m *Meter) AddScheduled(attempts int, waited time.Duration) {
	attempts = max(attempts, 0)
	m.change(func(c *Values) {
		c.PodAttempts.add(attempts, triesBounds)
		addTo(&c.PodDurations, min(attempts, manyAttempts), podBounds, waited)
	})
}
