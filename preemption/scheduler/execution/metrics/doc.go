// Package metrics answers: how often was preemption tried, with how many victims, and how long did
// pods wait? It counts what kube-scheduler counts about preemption, under its names.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
// A [Meter] is told what was done, as an [execution.Executor] reports
// it: by the loop of package attempt, or by a scheduler of one's own.
// [Meter.Values] is a copy of what it has counted, and [Values.Families] has that under the names
// and with the buckets of kube-scheduler, as Prometheus wants them.
//
//	meter := &metrics.Meter{}
//	report, err := executor.Execute(ctx, plan)
//	meter.AddExecution(report, err)
//	for _, family := range meter.Values().Families(release) {
//		for _, sample := range family.Samples {
//			fmt.Println(sample) // scheduler_preemption_attempts_total 1
//		}
//	}
//
// Group 14.5 of the rules of package execution says what is counted, and when.
package metrics
