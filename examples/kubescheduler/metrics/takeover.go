package metrics

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	scheduler "k8s.io/kubernetes/pkg/scheduler/metrics"
)

// TakeOver registers the collector in place of kube-scheduler's metrics of the
// same names. Call it when plugins are made, by when kube-scheduler has
// registered them, and once for a registry.
//
// Profiles with DefaultPreemption go on counting in the metrics that were
// replaced; the collector adds their values to its own.
func TakeOver(registry prometheus.Registerer, c *Collector) error {
	for _, of := range []prometheus.Collector{
		scheduler.PreemptionAttempts, scheduler.PreemptionVictims, scheduler.PreemptionGoroutinesDuration,
		scheduler.PreemptionGoroutinesExecutionTotal, scheduler.WorkloadPreemptionAttempts, scheduler.WorkloadPreemptionVictims,
		scheduler.PreemptionWorkloadDisruptions, scheduler.PreemptionEvaluationDuration, scheduler.PreemptionExecutionDuration,
		scheduler.PreemptionPDBViolations,
	} {
		if made, ok := of.(interface{ IsCreated() bool }); !ok || !made.IsCreated() || !registry.Unregister(of) {
			continue // of a feature that is off
		}
		if err := c.replaced.Register(of); err != nil {
			return fmt.Errorf("metrics: %w", err)
		}
	}
	if err := registry.Register(c); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}
