// Package attempt answers: a pod is next, so what becomes of it? It is one attempt of a
// scheduler, made of the parts of the library: the pod is popped from the queue, its node is
// found or else those who have to leave, and what was decided is done through the caller's
// [execution.Actions]; a pod that has no node yet goes back to the queue by the queue's rules.
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
//  1. The first pod is popped. Where there is none the outcome is [Idle].
//  2. The nominations are brought in line with the snapshot, at the cost of what has changed
//     ([execution.Nominator.ApplyTo]).
//  3. [Loop.Decide]: the node that the pod is nominated to is asked first, then all others;
//     where none takes the pod, preemption is asked who has to leave.
//  4. A pod that fits is bound, to the node of the best score ([Config.Place]). The snapshot
//     has it on the node then, the nomination is over, and the attempt is Done.
//  5. A plan is carried out by an [execution.Executor]: the pod is nominated, the victims
//     are evicted.
//  6. A pod without a node goes back through [execution.Executor.Fail], which sets, keeps or
//     clears its nomination.
//
// An entry of a group goes the same way with [engine.Evaluator.PreemptGroup]: all its pods
// that have a place are bound, or all of them wait.
//
// What a step could not do is data, in the [Result], and the pod is back in the queue by the
// rules for errors. An error beside the result says that somebody did what makes no sense: it
// names the pod, and wraps [engine.ErrStale] where the snapshot was changed during the attempt
// so that what was decided does not hold any more, and [preemption.ErrState] for a pod that runs by
// now, or whose name another pod has by now.
//
// # Events
//
// [Loop.Observe] is the one call for what an informer delivers. A pod waits while it names no
// node; it ends when it has succeeded or failed. In the queue "moves" means that pods which the
// event may help are tried again ([queue.Helps] says which).
//
//	event                            snapshot      nominations   queue
//	a pod that waits comes           PutPod        Add           Add; UnscheduledPodAdded moves where
//	                                                             groups are queued
//	a pod that waits changes         PutPod        Update        Update, of which the queue judges for the
//	                                                             pod alone; room given up if its status had
//	                                                             a nomination that is another or none now
//	the same version again           PutPod        -             -
//	a pod that waits goes or ends    RemovePod     Remove        Remove; room given up if it was nominated
//	a pod gets its node              PutPod        Remove        Remove; AssignedPodAdded moves
//	a pod on a node comes            PutPod        -             AssignedPodAdded moves
//	a pod on a node changes          PutPod        -             AssignedPodUpdated moves if its labels or
//	                                                             requests change
//	a pod on a node goes or ends     RemovePod     Remove        AssignedPodDeleted moves, once: one that had
//	                                                             ended goes in silence
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
// An executor that evicts the pods hears of those that are gone, before the queue does. A pod on
// a node whose resize is deferred is queued as [queue.Queue.FollowResize] says. Pods of
// schedulers that [preemption.Profile].Schedulers does not name are not queued. Claims and volumes
// are fields of pods here: a change of them is a change of the pod, and what else it may help a
// caller tells the queue itself ([queue.EventStorageChanged]).
//
// In a plugin of kube-scheduler the framework pops, places, nominates and binds by itself: there
// an executor is used alone, and the framework's nominations are told to the snapshot.
//
// # Ways out
//
// Preemption is one way to find room for a pod that fits nowhere, and a scheduler may have others.
// [execution.FirstWayOut] asks them in order, as kube-scheduler asks its PostFilter plugins, and
// [execution.Failure].Ways has the pod told of all of them. A [Loop] asks preemption alone.
//
// # Calls at once, and cost
//
// A [Loop] belongs to one goroutine, with its snapshot and a nominator of its own. The queue,
// and a nominator of the caller's, may be used by others meanwhile. It starts no goroutine that
// outlives a call, reads no clock and draws no lots: time is an argument. Beside the decision an attempt costs what has changed in
// the snapshot since the last one, and the calls of the caller's actions.
package attempt
