package kubeletadmit

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

// Critical reports whether the pod is critical for the kubelet: a static pod, a
// mirror pod, or a pod with a priority of at least [priority.SystemCritical]
// (rule 17.1.1; IsCriticalPod). A nil pod is not critical.
func Critical(pod *outrank.Pod) bool {
	return pod != nil && (pod.Static || pod.Mirror || priority.Critical(pod))
}

// Preemptable reports whether the kubelet may evict the pod for the preemptor (rules
// 17.1.3 to 17.1.5). It may if preemptor is critical and pod is not, whatever their
// priorities; otherwise only if both have a priority and the preemptor's is higher. No
// pod may preempt itself. The answer is false if either is nil.
//
// internal/proof/kubelet.dfy proves that nobody else is evicted (OnlyThoseThatMayLeave).
func Preemptable(preemptor, pod *outrank.Pod) bool {
	if preemptor == nil || pod == nil {
		return false
	}
	if Critical(preemptor) && !Critical(pod) {
		return true
	}
	return preemptor.Priority != nil && pod.Priority != nil && *preemptor.Priority > *pod.Priority
}
