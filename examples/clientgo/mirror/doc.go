// Package mirror keeps a [engine.Snapshot] in step with the objects of a cluster, at the price of what has
// changed.
//
// A scheduler that is asked thousands of times in a minute cannot convert 150,000 pods for each question. A
// [Mirror] converts each version of each object once, and puts it where it belongs. Indices find what else
// depends on it: the pods that use a claim, and the claims that are bound to a volume or have a class.
//
// There are two ways to tell a mirror about pods and nodes. Each mirror uses one of them:
//
//   - From informers. A Mirror is a handler for the informers of all kinds, and [Mirror.Follow]
//     registers it with those of a factory:
//
//     m, err := mirror.New(outrank.V1_37)
//     synced, err := m.Follow(factory, mirror.Everything...)
//     factory.Start(ctx.Done())
//     cache.WaitForCacheSync(ctx.Done(), synced...)
//
//   - From the framework's snapshot, in a plugin of kube-scheduler. [Sync] looks
//     again at the nodes whose generation has changed, and at the pods on them. The scheduling cycle
//     looks at the same snapshot, which includes pods that are only assumed to be on
//     their nodes, and nominations. The other kinds come from informers:
//
//     synced, err := m.Follow(handle.SharedInformerFactory(), mirror.BesidePodsAndNodes...)
//     ...
//     nodes, err := handle.SnapshotSharedLister().NodeInfos().List()
//     err = mirror.Sync(m, nodes, handle.NominatedPodsForNode)
//
// Then decide:
//
//	err := m.View(func(s *engine.Snapshot) error {
//		plan, err = evaluator.Preempt(ctx, s, pod, now)
//		return err
//	})
//
// The Value of each pod in the snapshot is the *corev1.Pod that it was made of, and the Value of each
// node is the *corev1.Node. So the victims of a plan lead back to the API's objects, and a
// filter may read fields that the library's types do not have.
//
// # Memory
//
// Equal lists of amounts are one map in all pods and nodes, so that the pods of a template share theirs, and what a
// kubelet reports of a pod mostly takes nothing. No list in a snapshot may be written to.
//
// # Order
//
// Objects may come in any order. A pod that comes before its node counts nowhere until the node comes, and a
// claim that comes before its volume counts as lost until the volume comes. An object may come twice, and an
// object that is deleted may never have been known. A version with a lower resource version than the known one of
// the same UID is older, and is passed over; so is the deletion of another object of the same name. Objects that
// are gone are not remembered: a version that comes after the end of its object adds it again. No informer
// delivers such a version.
//
// A mirror does not wait for missing objects. A node without a CSINode has none of the drivers that CSIDrivers
// demand. A pod with an unknown claim counts as if it did not name the claim; a scheduler keeps such a pod from
// all nodes by itself.
//
// # Problems
//
// An object that makes no sense (see package convert) is not in the mirror, and neither is its older version.
// [Mirror.Put] returns the error. [Mirror.Problems] lists the errors of all such objects until they are mended or
// gone.
//
// # Calls at once
//
// All methods of a Mirror may be called at once. A method that changes the mirror excludes all others. Any number
// of [Mirror.View] run at once, and changes wait for them. [Mirror.Snapshot] returns a copy for decisions that
// take long.
package mirror
