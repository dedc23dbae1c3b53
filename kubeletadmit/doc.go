// Package kubeletadmit answers: may this pod start on this node, and which pods
// are evicted for it?
//
// This is the kubelet's side of preemption. A pod that was bound to a node, or
// that the kubelet read from a file, is checked once more against the node as
// it is. A pod that fails is rejected, with one exception: for a critical pod
// that fails only for lack of resources, other pods are evicted.
//
//	adm, err := kubeletadmit.Admit(node, active, pod)
//	switch adm.Outcome {
//	case kubeletadmit.Admitted:
//	case kubeletadmit.AdmittedAfterEvicting: // adm.Evictions, in this order
//	case kubeletadmit.Rejected: // adm.Reason, adm.Message, adm.Returned
//	}
//
// [Admitter.Check] finds the failures and [Admitter.Resolve] decides what follows from them.
// [Admit] does both. [Evict] carries the answer out through an interface of the
// caller; nothing else in this package has an effect. [RankForEviction] is for
// another situation: it is the order in which pods are evicted when the node
// itself runs short of a resource.
//
// # Which pods are evicted
//
// The quality of service class of a pod decides. Of the Guaranteed pods only as
// many are evicted as are needed beyond all BestEffort and all Burstable pods, of
// the Burstable pods as many as are needed beyond these and all BestEffort pods,
// and the rest is made up by BestEffort pods. Within a class the pod that leaves
// the least of the shortage is evicted first; see [Admitter.Resolve]. The priority of a
// pod that may be preempted at all does not protect it, neither inside a class nor
// between them. This is a known weakness of the reference
// (kubernetes/kubernetes#135857) that is kept.
//
// Other pods go where an [Admitter] asks for it: with PriorityFirst those of the lowest
// priority, and with Exact the best set of pods, found by a search that says how good it
// is ([Certificate]). [Admitter.Compare] says what differs from the kubelet's answer.
//
// # As text and as JSON
//
// An [Admission] prints as a line for people and marshals as JSON for programs:
// one object with a version, in which pods appear as references and amounts as
// quantities. ADMISSION_JSON.md in the folder of this package describes every
// field. The JSON cannot be read back, because the Go types hold the pods
// themselves: json.Unmarshal into one of them is an error.
//
// # The active pods
//
// The caller decides which pods are active on the node; their NodeName is not
// checked. Finished pods among them hold nothing and are ignored, and so is the
// pod to be admitted itself (same namespace, name and UID). Terminating pods still
// hold what they have, and may be chosen. A pod that is listed twice counts twice.
//
// # Rules
//
// Chapters 17 and 18 of RULES.md in this package's folder state what this
// package does, and comments cite them, as in "rule 17.5.2".
//
// # Deviations from the reference
//
// The reference is the kubelet of Kubernetes v1.37.1, or of v1.36.3 by
// [Admitter.Release].
//
//   - Sums saturate at the ends of int64 instead of wrapping.
//   - Resources other than the well-known ones are reported sorted by name; the
//     reference takes them from a map.
//   - The message for the user is worded here. Reasons are the reference's.
//   - Under pressure on inodes, RankForEviction does not subtract the request
//     for ephemeral storage, in bytes, from a number of inodes.
//
// Functions of this package read what they are given and nothing else. They may
// run at the same time as long as no goroutine writes the pods and the node.
package kubeletadmit
