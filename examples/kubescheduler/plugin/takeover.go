package plugin

import (
	"github.com/prometheus/client_golang/prometheus"
	scheduler "k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/outrank-go/outrank/examples/clientgo/metrics"
)

// TakeOver registers the collector in place of kube-scheduler's metrics of the same names. Call it once for a
// registry, when the plugins are made: kube-scheduler has registered its metrics by then.
//
// Profiles with DefaultPreemption go on counting in the metrics that were replaced. The collector adds their
// values to its own.
func TakeOver(registry prometheus.Registerer, c *metrics.Collector) error {
	var made []prometheus.Collector
	for _, of := range append(newer(), scheduler.PreemptionAttempts, scheduler.PreemptionVictims, scheduler.PreemptionGoroutinesDuration,
		scheduler.PreemptionGoroutinesExecutionTotal) {
		if m, ok := of.(interface{ IsCreated() bool }); ok && m.IsCreated() { // else its feature is off
			made = append(made, of)
		}
	}
	return c.Replace(registry, made...)
}
