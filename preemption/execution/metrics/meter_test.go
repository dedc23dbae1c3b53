package metrics_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/execution/metrics"
	"github.com/outrank-go/outrank/priority/queue"
)

func TestVictimBuckets(t *testing.T) {
	for _, c := range []struct {
		victims int
		bucket  int
		why     string
	}{
		{-5, 0, "less than none is none"},
		{0, 0, "none is at most one"},
		{1, 0, "a bound belongs to its bucket"},
		{2, 1, ""},
		{3, 2, "between two bounds"},
		{4, 2, ""},
		{64, 6, "the last bound"},
		{65, 7, "beyond all bounds"},
		{math.MaxInt, 7, ""},
	} {
		var m metrics.Meter
		m.AddVictims(c.victims)
		h := m.Values().PreemptionVictims
		assert.Equal(t, uint64(1), h.Buckets[c.bucket], "%d: %s", c.victims, c.why)
		assert.Equal(t, uint64(1), h.Count())
		assert.Equal(t, max(0, c.victims), h.Sum)
		assert.Equal(t, []int{1, 2, 4, 8, 16, 32, 64}, h.Bounds)
		h.Buckets[c.bucket] = 9
		again := m.Values().PreemptionVictims
		assert.Equal(t, uint64(1), again.Count(), "the values are a copy")
		m.AddVictims(math.MaxInt)
		again = m.Values().PreemptionVictims
		assert.Equal(t, math.MaxInt, again.Sum, "it does not wrap")
	}
}

func TestNoMetrics(t *testing.T) {
	var m *metrics.Meter
	m.AddPreemption()
	m.AddVictims(1)
	m.AddAttempt(execution.Attempt{})
	m.SetPending(metrics.PendingPods{})
	m.AddAttemptDuration(execution.Attempt{}, 1)
	m.AddScheduled(1, 1)
	assert.Equal(t, metrics.Values{}, m.Values())
	assert.Len(t, m.Values().Families(), 2)
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
				m.AddVictims(i % 100)
				m.AddAttempt(execution.Attempt{Result: execution.ResultUnschedulable, Profile: "p"})
				m.SetPending(metrics.PendingPods{Counts: queue.Counts{Active: i, Backoff: i}})
			}
		})
	}
	for range 200 {
		c := m.Values()
		require.GreaterOrEqual(t, c.PreemptionAttempts, c.PreemptionVictims.Count())
		require.LessOrEqual(t, c.PreemptionAttempts, c.ScheduleAttempts[execution.Attempt{Result: execution.ResultUnschedulable, Profile: "p"}]+workers)
		if c.Pending != nil {
			require.Equal(t, c.Pending.Active, c.Pending.Backoff)
		}
	}
	all.Wait()
	c := m.Values()
	assert.Equal(t, uint64(workers*rounds), c.PreemptionAttempts)
	assert.Equal(t, uint64(workers*rounds), c.PreemptionVictims.Count())
	assert.Equal(t, workers*5*4950, c.PreemptionVictims.Sum)
	assert.Equal(t, uint64(workers*rounds), c.ScheduleAttempts[execution.Attempt{Result: execution.ResultUnschedulable, Profile: "p"}])
}

func TestCountsAreACopy(t *testing.T) {
	var m metrics.Meter
	m.AddAttempt(execution.Attempt{Result: execution.ResultScheduled})
	m.SetPending(metrics.PendingPods{Counts: queue.Counts{Active: 1}})
	c := m.Values()
	c.ScheduleAttempts[execution.Attempt{Result: execution.ResultScheduled}], c.Pending.Active = 7, 7
	assert.Equal(t, uint64(1), m.Values().ScheduleAttempts[execution.Attempt{Result: execution.ResultScheduled}])
	assert.Equal(t, 1, m.Values().Pending.Active)
}

func TestMetricFamilies(t *testing.T) {
	var m metrics.Meter
	for _, n := range []int{1, 2, 3, 100} {
		m.AddVictims(n)
	}
	for _, a := range []execution.Attempt{
		{Result: execution.ResultUnschedulable, Profile: "b"}, {Result: execution.ResultScheduled, Profile: "a"},
		{Result: execution.ResultScheduled, Profile: `q"\` + "\n"}, {Result: execution.ResultError, Profile: "a"},
	} {
		m.AddAttempt(a)
	}
	var lines []string
	for _, f := range m.Values().Families() {
		assert.NotEmpty(t, f.Help)
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
