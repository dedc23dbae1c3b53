package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

func TestAttemptDurations(t *testing.T) {
	a := metrics.Attempt{Result: "scheduled", Profile: "p"}
	for _, c := range []struct {
		took   time.Duration
		bucket int
		why    string
	}{
		{-time.Second, 0, "less than none is none"},
		{0, 0, "none is at most 1 ms"},
		{time.Millisecond, 0, "a bound belongs to its bucket"},
		{time.Millisecond + 1, 1, "the next one"},
		{16384 * time.Millisecond, 14, "the last bound"},
		{16385 * time.Millisecond, 15, "beyond all bounds"},
	} {
		var m metrics.Meter
		m.AddScheduled("p", 1, 0, &c.took)
		h := m.Values().AttemptDurations[a]
		assert.Equal(t, uint64(1), h.Buckets[c.bucket], "%v: %s", c.took, c.why)
		assert.Equal(t, uint64(1), h.Count())
		assert.Equal(t, max(0, c.took), h.Sum)
		assert.Len(t, h.Buckets, len(h.Bounds)+1)
	}
	var m metrics.Meter
	for longest := time.Duration(math.MaxInt64); m.Values().ScheduleAttempts[a] < 3; {
		m.AddScheduled("p", 1, 0, &longest)
	}
	h := m.Values().AttemptDurations[a]
	assert.Equal(t, time.Duration(math.MaxInt64), h.Sum, "it does not wrap")
	h.Buckets[0] = 9
	again := m.Values().AttemptDurations[a]
	assert.Equal(t, uint64(3), again.Count(), "the values are a copy")
}

// The durations of pods have the reference's names, labels and bounds (rules 14.5.5
// to 14.5.7).
func TestFamiliesOfDurations(t *testing.T) {
	var m metrics.Meter
	second, three := time.Second, 3*time.Second
	m.AddScheduled("a", 1, 0, nil)
	m.AddScheduled("a", 3, 20*time.Millisecond, &three)
	m.AddScheduled("a", 14, time.Second, nil)
	m.AddScheduled("a", 15, time.Hour, nil)
	m.AddScheduled("a", 99, 3*time.Hour, nil)
	m.AddScheduled("a", -1, -1, nil)
	m.AddFailure("b", &execution.Verdict{}, &second)
	var names, lines []string
	for _, f := range m.Values().Families(0) {
		names = append(names, f.Name)
		for _, s := range f.Samples {
			lines = append(lines, s.String())
		}
	}
	assert.Equal(t, []string{
		"scheduler_pod_scheduling_attempts", "scheduler_pod_scheduling_sli_duration_seconds",
		"scheduler_preemption_attempts_total", "scheduler_preemption_victims", "scheduler_schedule_attempts_total",
		"scheduler_scheduling_attempt_duration_seconds",
	}, names)
	for _, want := range []string{
		`scheduler_pod_scheduling_attempts_bucket{le="1"} 2`,
		`scheduler_pod_scheduling_attempts_bucket{le="4"} 3`,
		`scheduler_pod_scheduling_attempts_bucket{le="16"} 5`,
		`scheduler_pod_scheduling_attempts_bucket{le="+Inf"} 6`,
		`scheduler_pod_scheduling_attempts_sum 132`,
		`scheduler_pod_scheduling_attempts_count 6`,
		`scheduler_pod_scheduling_sli_duration_seconds_bucket{attempts="3",le="0.01"} 0`,
		`scheduler_pod_scheduling_sli_duration_seconds_bucket{attempts="3",le="0.02"} 1`,
		`scheduler_pod_scheduling_sli_duration_seconds_bucket{attempts="15+",le="5242.88"} 1`,
		`scheduler_pod_scheduling_sli_duration_seconds_sum{attempts="15+"} 14400`,
		`scheduler_pod_scheduling_sli_duration_seconds_count{attempts="14"} 1`,
		`scheduler_scheduling_attempt_duration_seconds_bucket{profile="a",result="scheduled",le="2.048"} 0`,
		`scheduler_scheduling_attempt_duration_seconds_bucket{profile="a",result="scheduled",le="4.096"} 1`,
		`scheduler_scheduling_attempt_duration_seconds_sum{profile="b",result="unschedulable"} 1`,
	} {
		assert.Contains(t, lines, want)
	}
	text := strings.Join(lines, "\n")
	assert.Less(t, strings.Index(text, `attempts="3"`), strings.Index(text, `attempts="14"`), "sorted by number")
}

// A failure that says how long it took counts with that, and no other.
func TestFailuresThatWereTimed(t *testing.T) {
	var m metrics.Meter
	took := 5 * time.Millisecond
	failed, refused := &execution.Verdict{}, &execution.Verdict{}
	failed.Err = assert.AnError
	m.AddFailure(outrank.DefaultScheduler, failed, &took)
	m.AddFailure(outrank.DefaultScheduler, failed, nil)
	m.AddFailure("mine", refused, &took)
	counts := map[metrics.Attempt]uint64{}
	for a, d := range m.Values().AttemptDurations {
		counts[a] = d.Count()
	}
	assert.Equal(t, map[metrics.Attempt]uint64{
		{Result: "error", Profile: outrank.DefaultScheduler}: 1, {Result: "unschedulable", Profile: "mine"}: 1,
	}, counts)
}

func ExampleMeter_AddFailure() {
	executor, err := execution.NewExecutor(execution.Config{Actions: (&executiontest.Recorder{}).Actions()})
	if err != nil {
		panic(err)
	}
	verdict, err := executor.Fail(context.Background(), execution.Failure{
		Entry: queue.Entry{Pod: &outrank.Pod{Name: "p"}}, Err: errors.New("no answer"),
	})
	if err != nil {
		panic(err)
	}
	var meter metrics.Meter
	took := 3 * time.Millisecond
	meter.AddFailure(outrank.DefaultScheduler, verdict, &took)
	fmt.Println(meter.Values().ScheduleAttempts)
	// Output:
	// map[{error default-scheduler}:1]
}

func ExampleMeter_AddScheduled() {
	var meter metrics.Meter
	took := 3 * time.Millisecond
	meter.AddScheduled(outrank.DefaultScheduler, 2, 1500*time.Millisecond, &took) // at the second attempt
	fmt.Println(meter.Values().Families(0)[1].Samples[20])
	h := meter.Values().AttemptDurations[metrics.Attempt{Result: "scheduled", Profile: outrank.DefaultScheduler}]
	fmt.Println(h.Count(), "attempt,", h.Sum, "in all; between", h.Bounds[1], "and", h.Bounds[2], "there are", h.Buckets[2])
	// Output:
	// scheduler_pod_scheduling_sli_duration_seconds_bucket{attempts="2",le="+Inf"} 1
	// 1 attempt, 3ms in all; between 2ms and 4ms there are 1
}
