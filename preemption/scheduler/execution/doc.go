// Package execution answers: a plan to preempt has been decided, so what happens
// now, and what happens to a pod that could not be scheduled? It does what
// kube-scheduler does after DefaultPreemption has chosen the victims, with every
// effect a function of the caller's.
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
//   - A [Nominator] remembers for which pods room was made, and [Nominator.ApplyTo] has
//     the filters leave that room to them, at the cost of what has changed since.
//   - A [Report] and a [Verdict] say what was done, and package metrics below counts them
//     as kube-scheduler counts. [LogRecords] has the lines of its log.
//
// Package preemption/scheduler/attempt makes one attempt of a scheduler of all of them: pop, decide,
// nominate, execute, fail, requeue.
//
// Events and conditions are data and carry no time; the caller adds it when it writes
// them. Package executiontest has a recorder that stands in for the cluster.
//
// Any number of goroutines may use an [Executor] and a [Nominator] at once, as long as the
// caller's functions allow it. No goroutine outlives a call, and nothing is kept beyond the
// evictions and nominations in progress. A step costs time linear in what it is about: the
// victims, the reasons of a failure, the pods nominated to a node.
//
// Chapters 14 and 15 of [RULES.md] state the rules; what deviates stands after "Here:".
//
// [RULES.md]: https://github.com/outrank-go/outrank/blob/main/preemption/scheduler/execution/RULES.md
package execution
