package metrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/clientgo/metrics"
)

// Counts appear in the text format of Prometheus.
func TestCollector(t *testing.T) {
	c := metrics.New()
	c.Counts.AddPreemption()
	c.Counts.AddVictims(3)
	c.Counts.AddExecution(false)
	c.AddGoroutine(20*time.Millisecond, false)
	c.AddDecision("pod", "preempt", time.Millisecond, time.Millisecond)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP scheduler_preemption_attempts_total How often preemption was tried.
# TYPE scheduler_preemption_attempts_total counter
scheduler_preemption_attempts_total 1
# HELP scheduler_preemption_victims Number of victims of a preemption.
# TYPE scheduler_preemption_victims histogram
scheduler_preemption_victims_bucket{le="1"} 0
scheduler_preemption_victims_bucket{le="2"} 0
scheduler_preemption_victims_bucket{le="4"} 1
scheduler_preemption_victims_bucket{le="8"} 1
scheduler_preemption_victims_bucket{le="16"} 1
scheduler_preemption_victims_bucket{le="32"} 1
scheduler_preemption_victims_bucket{le="64"} 1
scheduler_preemption_victims_bucket{le="+Inf"} 1
scheduler_preemption_victims_sum 3
scheduler_preemption_victims_count 1
# HELP scheduler_preemption_goroutines_execution_total Number of preemptions that were carried out beside the next attempts.
# TYPE scheduler_preemption_goroutines_execution_total counter
scheduler_preemption_goroutines_execution_total{result="success"} 1
`), "scheduler_preemption_attempts_total", "scheduler_preemption_victims", "scheduler_preemption_goroutines_execution_total"))
	n, err := testutil.GatherAndCount(registry, "scheduler_preemption_goroutines_duration_seconds", "outrank_snapshot_duration_seconds", "outrank_decision_duration_seconds")
	require.NoError(t, err)
	require.Equal(t, 3, n)
}

// The collector takes the place of metrics of its names, and adds what they go on counting. Of
// one that is not in the registry nothing is added.
func TestReplace(t *testing.T) {
	attempts := func() prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "scheduler_preemption_attempts_total", Help: "Others."})
	}
	registry, c, taken, other := prometheus.NewRegistry(), metrics.New(), attempts(), prometheus.NewCounter(prometheus.CounterOpts{Name: "other", Help: "x"})
	registry.MustRegister(taken)
	taken.Inc()
	other.Inc()
	require.NoError(t, c.Replace(registry, taken, other))
	taken.Add(2)
	c.Counts.AddPreemption()
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP scheduler_preemption_attempts_total How often preemption was tried.
# TYPE scheduler_preemption_attempts_total counter
scheduler_preemption_attempts_total 4
`), "scheduler_preemption_attempts_total", "other"))
}
