// Package kubeletadmit answers: may this pod start on this node, and who makes
// room for it?
//
// This is the kubelet's side of preemption. A pod that was bound to a node, or
// that the kubelet read from a file, is checked once more against the node as
// it is. A pod that fails is turned away, with one exception: a critical pod
// that fails for lack of resources alone pushes other pods out.
//
//	adm, err := kubeletadmit.Admit(node, active, pod)
//	switch adm.Outcome {
//	case kubeletadmit.Admitted:
//	case kubeletadmit.AdmittedAfterEvicting: // adm.Evictions, in this order
//	case kubeletadmit.Rejected: // adm.Reason, adm.Message, adm.Returned
//	}
//
// [Check] finds what stands in the way and [Resolve] decides what becomes of
// it; [Admit] is one after the other. [Evict] carries the answer out through
// an interface of the caller, the only place in this package where something
// happens. [RankForEviction] is about another hour of the same day: the order
// in which pods go when the node itself runs short.
//
// # Who has to go
//
// Pods go by their quality of service class. Of the Guaranteed pods go only as
// many as are needed if every BestEffort and every Burstable pod went as well,
// then of the Burstable ones as many as are needed beside those and every
// BestEffort pod, and BestEffort pods make up the rest. Within a class the pod
// goes first that leaves least of the shortage; see [Resolve]. Neither inside
// a class nor between them does the priority of a pod protect it, once it may
// be preempted at all: a known weakness of the reference
// (kubernetes/kubernetes#135857) that is kept.
//
// # The active pods
//
// The caller says which pods are active on the node; whether their NodeName
// agrees is not looked at. Finished pods among them hold nothing and are
// passed over, and so is the pod to be admitted itself (same namespace, name
// and UID). Terminating pods still hold what they have, and may be chosen. A
// pod that is listed twice counts twice.
//
// # Rules
//
// Chapters 17 and 18 of RULES.md in this package's folder state what this
// package does, and comments cite them, as in "rule 17.5.2".
//
// # Deviations from the reference
//
// The reference is the kubelet of Kubernetes v1.36.3.
//
//   - Sums saturate at the ends of int64 instead of wrapping.
//   - Resources other than the well-known ones are reported sorted by name; the
//     reference takes them from a map.
//   - Of two predicates that fail, NodeName is reported before NodeAffinity.
//   - The message for the user is worded here. Reasons are the reference's.
//   - Under pressure on inodes, RankForEviction does not subtract the request
//     for ephemeral storage, in bytes, from a number of inodes.
//
// Functions of this package read what they are given and nothing else. They
// may run at the same time as long as nobody writes the pods and the node.
package kubeletadmit
