package kubeletadmit

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

// Critical reports whether the kubelet takes the pod for one that its node
// cannot do without: a static pod, a mirror pod, or one whose priority is at
// least [priority.SystemCritical] (rule 17.1.1; IsCriticalPod). A nil pod is
// not critical.
func Critical(pod *outrank.Pod) bool {
	return pod != nil && (pod.Static || pod.Mirror || priority.Critical(pod))
}

// MayPreempt reports whether preemptor may push pod out of a node (rules 17.1.3
// to 17.1.5; Preemptable). It may if it is critical and pod is not, whatever
// their priorities, and else if both were given a priority and its own is
// higher. No pod may preempt itself, and nil takes no part.
func MayPreempt(preemptor, pod *outrank.Pod) bool {
	if preemptor == nil || pod == nil {
		return false
	}
	if Critical(preemptor) && !Critical(pod) {
		return true
	}
	return preemptor.Priority != nil && pod.Priority != nil && *preemptor.Priority > *pod.Priority
}
