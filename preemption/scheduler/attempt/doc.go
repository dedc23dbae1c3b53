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
//
// # Events
//
// [Loop.Observe] is the one call for everything that an informer delivers. A pod waits while it names no
// node; it ends when it has succeeded or failed. In the queue "moves" means that pods which the
// event may help are tried again ([queue.Helps] says which).
//
//	event                            snapshot      nominations   queue
//	a pod that waits comes           PutPod        Add           Add; UnscheduledPodAdded moves where
//	                                                             groups are queued
//	a pod that waits changes         PutPod        Update        Update, which concerns this pod alone; room
//	                                                             given up if the nomination in its status
//	                                                             was changed or cleared
//	the same version again           PutPod        -             -
//	a pod that waits goes or ends    RemovePod     Remove        Remove; room given up if it was nominated
//	a pod gets its node              PutPod        Remove        Remove; AssignedPodAdded moves
//	a pod on a node comes            PutPod        -             AssignedPodAdded moves
//	a pod on a node changes          PutPod        -             AssignedPodUpdated moves if its labels or
//	                                                             requests change
//	a pod on a node goes or ends     RemovePod     Remove        AssignedPodDeleted moves, once: no pod moves
//	                                                             when a pod goes that had ended
//	a pod takes another's name       as if the one went, and then the other came
//	a node comes                     PutNode       -             NodeAdded moves
//	a node changes                   PutNode       -             NodeUpdated moves, but not if it was only
//	                                                             cordoned, or changed in nothing but images,
//	                                                             kubelet version and group policy
//	a node goes                      RemoveNode    -             NodeDeleted moves
//	a budget comes, changes, goes    PutBudget, RemoveBudget     -
//	a namespace comes, changes, goes PutNamespace, RemoveNamespace -
//	a group comes, changes, goes     PutGroup, RemoveGroup       PutGroup, RemoveGroup
//	a composite group likewise       PutComposite, RemoveComposite PutComposite, RemoveComposite
//
// The executor is told of pods that are gone before the queue is. A pod on a node whose resize is deferred is
// queued as [queue.Queue.FollowResize] says. Pods of schedulers that [preemption.Profile].Schedulers does not
// name are not queued. Claims and volumes are fields of pods here: a change of them is a change of the pod. If
// it may help other pods, too, the caller tells the queue ([queue.EventStorageChanged], with a
// [queue.StorageChange] that says what it was).
//
// In a plugin of kube-scheduler the framework itself pops, places, nominates and binds pods. There
// an executor is used alone, and the snapshot is told of the framework's nominations.
//
// # Ways out
//
// Preemption is one way to find room for a pod that fits on no node, and a scheduler may have others.
// [execution.FirstWayOut] asks them in order, as kube-scheduler asks its PostFilter plugins, and
// [execution.Failure].Ways takes their answers. A [Loop] asks preemption alone.
//
// # Calls at once, and cost
//
// A [Loop] belongs to one goroutine, with its snapshot and a nominator of its own. Others may use the queue,
// and a nominator of the caller, meanwhile. It starts no goroutine that outlives a call, reads no clock and
// draws no lots: time is an argument. Besides the decision and the caller's actions, an attempt costs time
// linear in the changes of the snapshot since the last one.
package attempt
