// Package execution answers: a plan to preempt has been decided, so what happens now, and what happens to a pod
// that could not be scheduled? It does what kube-scheduler does after DefaultPreemption has chosen the victims.
// Every effect on the cluster is a call of a function of the caller.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
// Its parts work alone or together:
//
//   - An [Executor] evicts the victims of a plan, clears the nominations of lower
//     priority and nominates the preemptor, through [Actions] and in one of two
//     orders ([Synchronous], [Asynchronous]). It evicts no victim twice while the
//     eviction is in progress.
//   - [Executor.Fail] puts a pod that was not placed back into its queue, sets or clears its
//     nomination, posts the event and sets the condition. [Failure.Verdict] is the decision
//     alone, as data. [FirstWayOut] asks other ways to find room before the pod fails.
//   - A [Nominator] remembers for which pods room was made. After [Nominator.ApplyTo]
//     the filters leave that room to them.
//   - A [Report] and a [Verdict] say what was done, and package metrics below counts them
//     as kube-scheduler does. [LogRecords] returns the lines of its log.
//
// Package preemption/scheduler/attempt combines all of them into an attempt of a scheduler: pop, decide,
// nominate, execute, fail, requeue.
//
// Events and conditions are data and carry no time; the caller adds it when it writes
// them. Package executiontest has a recorder that stands in for the cluster.
//
// Any number of goroutines may use an [Executor] and a [Nominator] at once, as long as the
// caller's functions allow it. No goroutine outlives a call, and nothing is kept beyond the
// evictions and nominations in progress. The time of a step is linear in what it handles: the
// victims, the reasons of a failure, or the pods nominated to a node.
//
// Chapters 14 and 15 of [RULES.md] state the rules. Deviations from the reference follow the word "Here:".
//
// [RULES.md]: https://github.com/outrank-go/outrank/blob/main/preemption/scheduler/execution/RULES.md
package execution
