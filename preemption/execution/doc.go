// Package execution answers: a plan to preempt has been decided, so what happens
// now, and what happens to a pod that could not be scheduled? It is what
// kube-scheduler v1.36 does after DefaultPreemption has chosen the victims, with
// every effect behind an interface of the caller.
//
// Package preemption decides and changes nothing. This package acts, in four
// parts that work alone or together:
//
//   - An [Executor] executes a plan: it evicts the victims, clears the
//     nominations of lower priority and nominates the preemptor, through
//     [Actions] and in one of two orders ([Synchronous], [Asynchronous]). It
//     evicts no victim twice while the eviction is in progress.
//   - A [FailureHandler] does what has to be done about a pod that was not
//     placed: it counts the attempt, puts the pod back into the queue, sets or
//     clears its nomination, posts the event and sets the condition.
//     [Failure.Verdict] is the decision alone, as data.
//   - A [Nominator] remembers which pods room was made for, and has the filters
//     leave that room to them ([Nominator.ApplyTo]).
//   - [Metrics] counts what kube-scheduler counts, and [MetricValues.Families]
//     has the reference's names and buckets. [LogLine] is a line of its log.
//
// One attempt of a scheduler that uses all of them:
//
//	entry, err := queue.Pop(ctx)
//	...
//	err = nominator.ApplyTo(snap)
//	plan, err := eval.Preempt(ctx, snap, entry.Pod, now)
//	failure := execution.Failure{Entry: entry, Now: now, Plan: plan, Err: err}
//	if err == nil && plan.Outcome == preemption.Preempt {
//		_, failure.ExecutionErr = executor.Execute(ctx, plan)
//	}
//	result, err := handler.Handle(ctx, failure)
//
// A group of pods goes the same way with [Executor.ExecuteGroup] and
// [FailureHandler.HandleGroup], while [Nominator.SetAside] keeps the nominations of its
// pods out of their own way (groups 14.6 and 15.5).
//
// A handler works with the queues of package priority/queue. Package
// executiontest has a recorder that stands in for the cluster in tests and
// simulators.
//
// Events and conditions are data ([outrank.Event], [outrank.PodCondition]) and
// carry no time; the caller adds it when it writes them.
//
// # Calls at once, and cost
//
// Any number of goroutines may use an [Executor], a [Nominator], a [Metrics] and
// a [FailureHandler] at once, as long as the caller's interfaces allow it. The
// package starts no goroutine that outlives a call, reads no clock and keeps
// nothing beyond the evictions and nominations in progress. Beside the calls of
// the caller's interfaces a step costs time linear in what it is about: the
// victims of a plan, the reasons of a failure, the pods nominated to one node.
//
// # Rules, and deviations from the reference
//
// Chapters 14 and 15 of RULES.md in this package's folder state what this package
// does, and comments cite them, as in "rule 14.2.3". Rules of the chapters 6 to
// 13 are those of package preemption and of the packages below it. Deviations
// are marked with "Here:" in the rules. They are also listed at
// [Executor.Execute] and at [FailureHandler.Handle].
package execution
