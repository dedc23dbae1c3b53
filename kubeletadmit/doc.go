// Package kubeletadmit answers: may this pod start on this node, and which pods are evicted
// for it? It decides what the kubelet of Kubernetes v1.37 decides, or the kubelet of v1.36 by
// [Config].Release.
//
// The kubelet checks each pod that was bound to its node once more, and rejects a pod that
// fails. For a critical pod that fails only for lack of resources, it evicts other pods instead.
//
//	adm, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{})
//	switch adm.Outcome {
//	case kubeletadmit.Admitted:
//	case kubeletadmit.AdmittedAfterEvicting: // adm.Evictions, in this order
//	case kubeletadmit.Rejected: // adm.Reason, adm.Message
//	}
//
// The quality of service class decides who is evicted: BestEffort pods before Burstable ones,
// these before Guaranteed ones, and within a class the pod that leaves the least of the
// shortage. Among the pods that may be preempted, priority does not matter. That is a known
// weakness of the reference (kubernetes/kubernetes#135857), which this package keeps. A
// [Config] can ask for other victims: by priority first, or the best set with a [Certificate].
//
// [Evict] carries an answer out through an interface of the caller. [RankForEviction] is the
// order in which pods are evicted when the node itself runs short of a resource. An [Admission]
// marshals as JSON, which [ADMISSION_JSON.md] describes, and cannot be read back.
//
// The caller decides which pods are active on the node; their NodeName is not checked. Finished
// pods among them hold nothing, and so does the pod itself (same namespace, name and UID).
// Terminating pods hold what they have and may be chosen. A pod listed twice counts twice.
//
// Chapters 17 and 18 of [RULES.md] state the rules, and mark deviations from the reference with
// "Here:". In addition, sums saturate at the ends of int64, where the reference wraps.
//
// Functions of this package read what they are given and nothing else. They may run at the
// same time as long as no goroutine writes the pods and the node.
//
// [ADMISSION_JSON.md]: https://github.com/outrank-go/outrank/blob/main/kubeletadmit/ADMISSION_JSON.md
// [RULES.md]: https://github.com/outrank-go/outrank/blob/main/kubeletadmit/RULES.md
package kubeletadmit
