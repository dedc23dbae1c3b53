package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/component-base/metrics/legacyregistry"
	scheduler "k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/outrank-go/outrank/examples/clientgo/metrics"
	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// sums are the values of the scheduler's metrics, of histograms the sums of what was observed.
func sums(t *testing.T) map[string]float64 {
	families, err := legacyregistry.DefaultGatherer.Gather()
	require.NoError(t, err)
	found := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			found[f.GetName()] += m.GetCounter().GetValue() + m.GetHistogram().GetSampleSum()
		}
	}
	return found
}

// In a scheduler the collector replaces the metrics of the same names, and adds
// the counts of other profiles in them.
func TestTakeOver(t *testing.T) {
	scheduler.Register()
	before := sums(t) // of schedulers in other tests
	scheduler.PreemptionAttempts.Inc()
	c := metrics.New()
	require.NoError(t, plugin.TakeOver(legacyregistry.Registerer(), c))
	defer legacyregistry.Registerer().Unregister(c)
	c.Counts.AddPreemption()
	c.Counts.AddExecution(&execution.Report{Plan: &preemption.Plan{}, Order: execution.Asynchronous, Victims: make([]execution.PodReport, 1)}, nil)
	scheduler.PreemptionVictims.Observe(5)
	scheduler.PreemptionGoroutinesExecutionTotal.WithLabelValues("success").Inc()
	scheduler.PreemptionGoroutinesDuration.WithLabelValues("success").Observe(1)
	after := sums(t)
	for name, want := range map[string]float64{
		"scheduler_preemption_attempts_total": 2, "scheduler_preemption_victims": 6,
		"scheduler_preemption_goroutines_execution_total": 2, "scheduler_preemption_goroutines_duration_seconds": 1,
	} {
		require.InDelta(t, want, after[name]-before[name], 1e-6, name)
	}
}
