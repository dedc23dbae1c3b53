package execution

import (
	"maps"
	"slices"
	"sync"
)

// Metrics counts what kube-scheduler counts about preemption. Its zero value is
// ready, and a nil *Metrics counts nothing. Any number of goroutines may use it
// at once.
type Metrics struct {
	mu     sync.Mutex
	counts Counts
}

// Counts is what a [Metrics] has counted so far.
type Counts struct {
	// PreemptionAttempts is how often preemption was asked for a way out (every
	// PostFilter), whatever the answer.
	PreemptionAttempts uint64
	// PreemptionVictims is the number of victims of each plan that was begun.
	PreemptionVictims VictimHistogram
	// ScheduleAttempts is how attempts to schedule a pod ended.
	ScheduleAttempts map[Attempt]uint64
	// Pending is how many pods wait, nil as long as nobody has said.
	Pending *Pending
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

// Pending is the number of pods in each part of the scheduling queue.
type Pending struct {
	Active, Backoff, Unschedulable, Gated int
}

// VictimHistogram counts plans by their number of victims.
type VictimHistogram struct {
	// Buckets counts the plans with at most as many victims as stands at the
	// same place of [VictimBounds], and with more than at the one before; the
	// last counts those beyond all bounds.
	Buckets [len(victimBounds) + 1]uint64
	// Sum is the number of victims of all plans.
	Sum uint64
}

// Seven buckets that double, as in the reference.
var victimBounds = [...]int{1, 2, 4, 8, 16, 32, 64}

// VictimBounds are the upper bounds of a [VictimHistogram]: 1, 2, 4, 8, 16, 32
// and 64. The slice is the caller's.
func VictimBounds() []int { return slices.Clone(victimBounds[:]) }

// Count is the number of plans.
func (h *VictimHistogram) Count() uint64 {
	n := uint64(0)
	for _, b := range h.Buckets {
		n += b
	}
	return n
}

// AddPreemption counts an attempt to preempt.
func (m *Metrics) AddPreemption() {
	m.change(func(c *Counts) { c.PreemptionAttempts++ })
}

// AddVictims counts a plan with so many victims; less than none is none.
func (m *Metrics) AddVictims(n int) {
	n = max(n, 0)
	bucket, _ := slices.BinarySearch(victimBounds[:], n)
	m.change(func(c *Counts) {
		c.PreemptionVictims.Buckets[bucket]++
		c.PreemptionVictims.Sum += uint64(n)
	})
}

// AddAttempt counts an attempt to schedule a pod.
func (m *Metrics) AddAttempt(a Attempt) {
	m.change(func(c *Counts) {
		if c.ScheduleAttempts == nil {
			c.ScheduleAttempts = map[Attempt]uint64{}
		}
		c.ScheduleAttempts[a]++
	})
}

// SetPending notes how many pods wait.
func (m *Metrics) SetPending(p Pending) {
	m.change(func(c *Counts) { c.Pending = &p })
}

func (m *Metrics) change(f func(*Counts)) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.counts)
}

// Counts gives a copy of all counts as they are at one moment.
func (m *Metrics) Counts() Counts {
	var copied Counts
	m.change(func(c *Counts) {
		copied = *c
		copied.ScheduleAttempts = maps.Clone(c.ScheduleAttempts)
		if c.Pending != nil {
			p := *c.Pending
			copied.Pending = &p
		}
	})
	return copied
}
