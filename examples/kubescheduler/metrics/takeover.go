package metrics

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	scheduler "k8s.io/kubernetes/pkg/scheduler/metrics"
)

// TakeOver registers the collector in the place of kube-scheduler's metrics of the same
// names. It is to be called after those are registered, which is so when plugins are made,
// and once.
//
// Profiles with DefaultPreemption go on counting in the metrics that were replaced; the
// collector adds what these have.
func TakeOver(registry prometheus.Registerer, c *Collector) error {
	c.replaced = nil
	for _, of := range []prometheus.Collector{
		scheduler.PreemptionAttempts, scheduler.PreemptionVictims, scheduler.PreemptionGoroutinesDuration,
		scheduler.PreemptionGoroutinesExecutionTotal, scheduler.WorkloadPreemptionAttempts, scheduler.WorkloadPreemptionVictims,
		scheduler.PreemptionWorkloadDisruptions, scheduler.PreemptionEvaluationDuration, scheduler.PreemptionExecutionDuration,
		scheduler.PreemptionPDBViolations,
	} {
		registry.Unregister(of)
	}
	if err := registry.Register(c); err != nil {
		return errors.New("metrics: " + err.Error())
	}
	return nil
}
