// Package mirror keeps a [engine.Snapshot] as current as the objects that it is
// told about, at the price of what has changed.
//
// A scheduler that is asked thousands of times in a minute cannot convert 150,000 pods
// for each question. A [Mirror] converts each version of each object once, and puts it
// where it belongs; what else depends on it is found by indices: the pods that use a
// claim, the claims that are bound to a volume or are of a class.
//
// There are two ways to tell it about pods and nodes, of which a mirror takes one:
//
//   - From informers. A Mirror is a handler for the informers of all kinds, and [Mirror.Follow]
//     registers it with those of a factory:
//
//     m, err := mirror.New(outrank.V1_37)
//     synced, err := m.Follow(factory, mirror.Everything...)
//     factory.Start(ctx.Done())
//     cache.WaitForCacheSync(ctx.Done(), synced...)
//
//   - From the framework's snapshot, in a plugin of kube-scheduler: [Sync] looks
//     again at the nodes whose generation is another, and at the pods on them. That is
//     what the scheduling cycle looks at itself, pods that are only assumed to be on
//     their nodes and nominations among it. The other kinds come from informers:
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
// Value of each pod in the snapshot is the *corev1.Pod that it was made of, and Value of each
// node the *corev1.Node, so that the victims of a plan lead back to the API's objects, and a
// filter may read what the library's types do not have.
//
// # Order
//
// Objects may come in any order: a pod before its node counts nowhere until the node is
// there, a claim before its volume has lost it until the volume is there. An object may
// be told twice, and what is deleted may never have been known. A version with a lower
// resource version than the known one of the same UID is an older one and passed over,
// and so is the deletion of another object of the same name. What is gone is not
// remembered: a version that comes after the end of its object adds it again, which no
// informer does.
//
// What is not there is not there: nodes without a CSINode have none of the drivers that
// CSIDrivers demand. A pod with a claim that is not known is taken as if it did not name
// the claim; a scheduler keeps such a pod from all nodes by itself.
//
// # Problems
//
// An object that makes no sense (see package convert) is not in the mirror, nor is its
// older version. [Mirror.Put] returns the error, and [Mirror.Problems] lists those of
// all such objects, until they are mended or gone.
//
// # Calls at once
//
// All methods of a Mirror may be called at once. Those that change it exclude all
// others; any number of [Mirror.View] run at once, and hold up changes meanwhile.
// [Mirror.Snapshot] gives a copy for those who take their time.
package mirror
