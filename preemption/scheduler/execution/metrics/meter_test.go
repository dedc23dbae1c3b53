package metrics_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

func TestVictimBuckets(t *testing.T) {
	for _, c := range []struct {
		victims int
		bucket  int
		why     string
	}{
		{0, 0, "none is at most one"},
		{1, 0, "a bound belongs to its bucket"},
		{2, 1, ""},
		{3, 2, "between two bounds"},
		{4, 2, ""},
		{64, 6, "the last bound"},
		{65, 7, "beyond all bounds"},
	} {
		var m metrics.Meter
		m.AddExecution(begun(c.victims), nil)
		h := m.Values().PreemptionVictims
		assert.Equal(t, uint64(1), h.Buckets[c.bucket], "%d: %s", c.victims, c.why)
		assert.Equal(t, uint64(1), h.Count())
		assert.Equal(t, c.victims, h.Sum)
		assert.Equal(t, []int{1, 2, 4, 8, 16, 32, 64}, h.Bounds)
		h.Buckets[c.bucket] = 9
		again := m.Values().PreemptionVictims
		assert.Equal(t, uint64(1), again.Count(), "the values are a copy")
	}
}

// begun is the report of a plan with so many victims.
func begun(victims int) *execution.Report {
	return &execution.Report{Plan: &preemption.Plan{}, Order: execution.Synchronous, Victims: make([]execution.PodReport, victims)}
}

// Sums do not wrap, and less than none is none.
func TestLargeNumbers(t *testing.T) {
	var m metrics.Meter
	for _, n := range []int{math.MaxInt, 1, math.MaxInt, -5} {
		m.AddScheduled("p", n, 0, nil)
	}
	tries := m.Values().PodAttempts
	assert.Equal(t, math.MaxInt, tries.Sum)
	assert.Equal(t, uint64(4), tries.Count())
}

// A plan that was not begun does not count.
func TestPlansThatWereNotBegun(t *testing.T) {
	var m metrics.Meter
	m.AddExecution(nil, assert.AnError)
	m.AddExecution(&execution.Report{Order: execution.Asynchronous, Victims: make([]execution.PodReport, 2)}, assert.AnError)
	assert.Equal(t, metrics.Values{}, m.Values())
}

func TestNoMetrics(t *testing.T) {
	var m *metrics.Meter
	m.AddPreemption()
	m.AddExecution(begun(1), nil)
	m.AddFailure("p", &execution.Verdict{}, nil)
	m.SetCounts(queue.Parts[int]{}, queue.Parts[int]{}, queue.Parts[int]{}, nil)
	m.AddScheduled("p", 1, 1, nil)
	assert.Equal(t, metrics.Values{}, m.Values())
	assert.Len(t, m.Values().Families(0), 2)
}

// Nothing is lost, and every copy is of one moment: each round counts one of
// everything under one lock after the other, so that no count is ever ahead of
// the one before it by more than the rounds under way.
func TestCountsAreRightConcurrently(t *testing.T) {
	const workers, rounds = 8, 500
	var m metrics.Meter
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := range rounds {
				m.AddPreemption()
				m.AddExecution(begun(i%100), nil)
				m.AddFailure("p", &execution.Verdict{}, nil)
				m.SetCounts(queue.Parts[int]{Active: i, Backoff: i}, queue.Parts[int]{Active: i, Backoff: i}, queue.Parts[int]{}, nil)
			}
		})
	}
	for range 200 {
		c := m.Values()
		require.GreaterOrEqual(t, c.PreemptionAttempts, c.PreemptionVictims.Count())
		require.LessOrEqual(t, c.PreemptionAttempts, c.ScheduleAttempts[metrics.Attempt{Result: "unschedulable", Profile: "p"}]+workers)
		if c.Pending != nil {
			require.Equal(t, c.Pending.Active, c.Pending.Backoff)
		}
	}
	all.Wait()
	c := m.Values()
	assert.Equal(t, uint64(workers*rounds), c.PreemptionAttempts)
	assert.Equal(t, uint64(workers*rounds), c.PreemptionVictims.Count())
	assert.Equal(t, workers*5*4950, c.PreemptionVictims.Sum)
	assert.Equal(t, uint64(workers*rounds), c.ScheduleAttempts[metrics.Attempt{Result: "unschedulable", Profile: "p"}])
}

func TestCountsAreACopy(t *testing.T) {
	var m metrics.Meter
	m.AddScheduled("p", 1, 0, nil)
	m.SetCounts(queue.Parts[int]{Active: 1}, queue.Parts[int]{Active: 1}, queue.Parts[int]{}, nil)
	c := m.Values()
	a := metrics.Attempt{Result: "scheduled", Profile: "p"}
	c.ScheduleAttempts[a], c.Pending.Active = 7, 7
	assert.Equal(t, uint64(1), m.Values().ScheduleAttempts[a])
	assert.Equal(t, 1, m.Values().Pending.Active)
}

func TestMetricFamilies(t *testing.T) {
	var m metrics.Meter
	for _, n := range []int{1, 2, 3, 100} {
		m.AddExecution(begun(n), nil)
	}
	failed := &execution.Verdict{Err: assert.AnError}
	m.AddFailure("b", &execution.Verdict{}, nil)
	m.AddScheduled("a", 1, 0, nil)
	m.AddScheduled(`q"\`+"\n", 1, 0, nil)
	m.AddFailure("a", failed, nil)
	var lines []string
	for _, f := range m.Values().Families(0) {
		assert.NotEmpty(t, f.Help)
		if strings.HasPrefix(f.Name, "scheduler_pod_scheduling_") {
			continue // TestFamiliesOfDurations
		}
		for _, s := range f.Samples {
			assert.True(t, strings.HasPrefix(s.Name, f.Name))
			lines = append(lines, s.String())
		}
	}
	assert.Equal(t, []string{
		`scheduler_preemption_attempts_total 0`,
		`scheduler_preemption_victims_bucket{le="1"} 1`,
		`scheduler_preemption_victims_bucket{le="2"} 2`,
		`scheduler_preemption_victims_bucket{le="4"} 3`,
		`scheduler_preemption_victims_bucket{le="8"} 3`,
		`scheduler_preemption_victims_bucket{le="16"} 3`,
		`scheduler_preemption_victims_bucket{le="32"} 3`,
		`scheduler_preemption_victims_bucket{le="64"} 3`,
		`scheduler_preemption_victims_bucket{le="+Inf"} 4`,
		`scheduler_preemption_victims_sum 106`,
		`scheduler_preemption_victims_count 4`,
		`scheduler_schedule_attempts_total{profile="a",result="error"} 1`,
		`scheduler_schedule_attempts_total{profile="a",result="scheduled"} 1`,
		`scheduler_schedule_attempts_total{profile="q\"\\\n",result="scheduled"} 1`,
		`scheduler_schedule_attempts_total{profile="b",result="unschedulable"} 1`,
	}, lines)
}
