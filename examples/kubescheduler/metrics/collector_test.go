package metrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"k8s.io/component-base/metrics/legacyregistry"
	scheduler "k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/outrank-go/outrank/examples/kubescheduler/metrics"
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

// In a scheduler the collector replaces the metrics of the same names, and adds
// the counts of other profiles in them.
func TestTakeOver(t *testing.T) {
	scheduler.Register()
	scheduler.PreemptionAttempts.Inc()
	c := metrics.New()
	require.NoError(t, metrics.TakeOver(legacyregistry.Registerer(), c))
	defer legacyregistry.Registerer().Unregister(c)
	c.Counts.AddPreemption()
	c.Counts.AddVictims(1)
	c.Counts.AddExecution(false)
	scheduler.PreemptionVictims.Observe(5)
	scheduler.PreemptionGoroutinesExecutionTotal.WithLabelValues("success").Inc()
	scheduler.PreemptionGoroutinesDuration.WithLabelValues("success").Observe(1)
	families, err := legacyregistry.DefaultGatherer.Gather()
	require.NoError(t, err)
	found := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			found[f.GetName()] += m.GetCounter().GetValue() + m.GetHistogram().GetSampleSum()
		}
	}
	require.EqualValues(t, 2, found["scheduler_preemption_attempts_total"])
	require.EqualValues(t, 6, found["scheduler_preemption_victims"])
	require.EqualValues(t, 2, found["scheduler_preemption_goroutines_execution_total"])
	require.EqualValues(t, 1, found["scheduler_preemption_goroutines_duration_seconds"])
}
