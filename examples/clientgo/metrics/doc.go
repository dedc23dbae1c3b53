// Package metrics exports a scheduler's counts about preemption to Prometheus.
//
// A [Collector] exports the values of [metrics.Meter] under kube-scheduler's own names, for example
// scheduler_preemption_victims, and some values of its own whose names begin with outrank_. In a kube-scheduler
// the metrics of DefaultPreemption have those names: [Collector.Replace] puts the collector in their place.
package metrics
