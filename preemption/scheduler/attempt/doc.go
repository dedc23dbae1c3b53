// Package attempt answers: a pod is next, so what becomes of it? It makes the attempts of a
// scheduler out of the parts of the library. A pod is popped from the queue. A node is found for it,
// or the victims that have to leave. The decision is carried out through the caller's
// [execution.Actions]. A pod that has no node yet goes back to the queue by the queue's rules.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
//	cluster := execution.Config{Actions: execution.Actions{Evict: evict, Bind: bind}}
//	loop, err := attempt.New(attempt.Config{Snapshot: snap, Queue: waiting, Execution: cluster})
//	moved, err := loop.Observe(nil, pod, now) // what an informer delivers: it is in the queue
//	result, err := loop.Next(ctx, now)
//	fmt.Println(result.Outcome, result.Node)
//
// # An attempt
//
// [Loop.Next] takes these steps (scheduleOnePod; chapters 5, 14 and 15 of the rules):
//
//  1. The first pod is popped. If there is none the outcome is [Idle].
//  2. The nominations are brought in line with the snapshot, at the cost of what has changed
//     ([execution.Nominator.ApplyTo]).
//  3. [Loop.Decide]: the node that the pod is nominated to is asked first, then all others.
//     If none takes the pod, preemption is asked who has to leave.
//  4. A pod that fits is bound to the node with the best score ([Config.Place]). The snapshot
//     then has it on the node, its nomination ends, and the queue is told that the attempt is Done.
//  5. A plan is carried out by an [execution.Executor]: the pod is nominated, the victims
//     are evicted.
//  6. A pod without a node goes back through [execution.Executor.Fail], which sets, keeps or
//     clears its nomination.
//
// An entry of a group goes the same way with [engine.Evaluator.PreemptGroup]: all its pods
// that have a place are bound, or all of them wait.
//
// If a step fails, the error is in the [Result], and the pod is back in the queue by the
// rules for errors. An error that is returned beside the result is about a mistake of a caller: it
// names the pod, and wraps [engine.ErrStale] if the snapshot was changed during the attempt
// so that the decision no longer holds, and [preemption.ErrState] for a pod that runs by
// now, or whose name another pod has by now.
package attempt
