// Package metrics exports what the plugin counts to Prometheus.
//
// A [Collector] gives the values of [execution.Metrics] under kube-scheduler's own names,
// such as scheduler_preemption_victims, and some of its own that begin with outrank_. In a
// kube-scheduler those names are taken by the metrics of DefaultPreemption: [TakeOver] puts
// the collector in their place.
package metrics
