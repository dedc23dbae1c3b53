package metrics_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/clientgo/metrics"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// Counts appear in the text format of Prometheus.
func TestCollector(t *testing.T) {
	c := metrics.New()
	c.Counts.AddPreemption()
	c.Counts.AddExecution(&execution.Report{Plan: &preemption.Plan{}, Order: execution.Asynchronous, Victims: make([]execution.PodReport, 3)}, nil)
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

// The victims of a pod add up over its attempts until it has a node or is gone, and then
// count once.
func TestVictimsOfAPreemptor(t *testing.T) {
	c := metrics.New()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	most := func(want int) {
		t.Helper()
		require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(fmt.Sprintf(`
# HELP outrank_waiting_preemptor_victims_max The most pods that had to leave for one pod that still waits, all its attempts together.
# TYPE outrank_waiting_preemptor_victims_max gauge
outrank_waiting_preemptor_victims_max %d
`, want)), "outrank_waiting_preemptor_victims_max"))
	}
	most(0)
	for range 5 {
		c.AddVictims("a", 3)
	}
	c.AddVictims("b", 7)
	c.AddVictims("c", 0)
	c.EndPreemptor("c")
	c.EndPreemptor("d")
	most(15)
	c.EndPreemptor("a")
	most(7)
	c.EndPreemptor("a")
	c.EndPreemptor("b")
	most(0)
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP outrank_preemptor_victims How many pods had to leave for a pod, all its attempts together, when it had a node or was gone.
# TYPE outrank_preemptor_victims histogram
outrank_preemptor_victims_bucket{le="1"} 0
outrank_preemptor_victims_bucket{le="2"} 0
outrank_preemptor_victims_bucket{le="5"} 0
outrank_preemptor_victims_bucket{le="10"} 1
outrank_preemptor_victims_bucket{le="20"} 2
outrank_preemptor_victims_bucket{le="50"} 2
outrank_preemptor_victims_bucket{le="100"} 2
outrank_preemptor_victims_bucket{le="200"} 2
outrank_preemptor_victims_bucket{le="500"} 2
outrank_preemptor_victims_bucket{le="+Inf"} 2
outrank_preemptor_victims_sum 22
outrank_preemptor_victims_count 2
`), "outrank_preemptor_victims"))
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
