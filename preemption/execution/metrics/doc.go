// Package metrics answers: how often was preemption tried, with how many victims, and how long did
// pods wait? It counts what kube-scheduler counts about preemption, under its names.
//
// A [Meter] is told by those who do something: an [execution.Executor], an
// [execution.FailureHandler], the loop of package attempt, or a scheduler of one's own.
// [Meter.Values] is a copy of what it has counted, and [Values.Families] has that under the names
// and with the buckets of kube-scheduler, as Prometheus wants them.
//
//	meter := &metrics.Meter{Release: release}
//	executor, err := execution.NewExecutor(execution.Config{Actions: cluster, Release: release, Metrics: meter})
//	for _, family := range meter.Values().Families() {
//		for _, sample := range family.Samples {
//			fmt.Println(sample) // scheduler_preemption_attempts_total 1
//		}
//	}
//
// Group 14.5 of the rules of package execution says what is counted, and when.
package metrics
