// Package metrics exports what a scheduler counts of preemption to Prometheus.
//
// A [Collector] gives the values of [metrics.Meter] under kube-scheduler's own names,
// such as scheduler_preemption_victims, and some of its own that begin with outrank_. Where
// those names are taken, as in a kube-scheduler by the metrics of DefaultPreemption,
// [Collector.Replace] puts the collector in their place.
package metrics
