// Package metrics exports what the plugin counts to Prometheus.
//
// A [Collector] gives the values of [execution.Metrics] under kube-scheduler's own names,
// such as scheduler_preemption_victims, and a few of its own that begin with outrank_. In a
// kube-scheduler these names are taken, by metrics of DefaultPreemption: [TakeOver] puts the
// collector in their place, and whatever they count goes into the same sums.
package metrics
