// Package metrics answers: how often was preemption tried, with how many victims, and how long did
// pods wait? It counts what kube-scheduler counts about preemption, under its names.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
// A [Meter] is told what was done, as an [execution.Executor] reports it: by the loop of package attempt, or by
// a scheduler of your own. [Meter.Values] returns a copy of its counts. [Values.Families] returns them as
// Prometheus metrics, with the names and buckets of kube-scheduler.
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
