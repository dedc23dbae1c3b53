package priority

import (
	"cmp"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
)

// Critical reports whether the pod's priority makes it critical (rule 4.3.2;
// IsCriticalPodBasedOnPriority): the pod has a priority, and it is at least
// [SystemCritical]. The kubelet also counts static and mirror pods as critical;
// see package kubeletadmit.
func Critical(pod *outrank.Pod) bool {
	return pod != nil && pod.PriorityValue() >= SystemCritical
}

// Compare is negative if a is more important than b, positive if b is, and 0 if
// they are equal in this order (rules 4.3.3 to 4.3.6; MoreImportantPod):
//
//  1. the higher priority; no priority counts as 0;
//  2. the earlier start; no start time counts as now;
//  3. the namespace, then the name, then the UID, whichever is first by bytes.
//
// The reference stops after the second, and reads the clock at each comparison.
// With now as an argument and with the third, the order is total: it is 0 only
// for pods with the same priority, start and identity. A nil pod is less
// important than any other. The call takes constant time and allocates nothing,
// so that
//
//	slices.SortFunc(pods, func(a, b *outrank.Pod) int { return priority.Compare(a, b, now) })
//
// sorts the most important pods first.
func Compare(a, b *outrank.Pod, now time.Time) int {
	if a == nil || b == nil {
		return compareNil(a == nil, b == nil)
	}
	if c := cmp.Compare(b.PriorityValue(), a.PriorityValue()); c != 0 {
		return c
	}
	if c := started(a, now).Compare(started(b, now)); c != 0 {
		return c
	}
	return CompareIdentity(a, b)
}

func started(pod *outrank.Pod, now time.Time) time.Time {
	if pod.StartTime.IsZero() {
		return now
	}
	return pod.StartTime
}

// CompareIdentity orders pods by the namespace, then the name, then the UID, each
// by bytes. It is the last key of every order of pods in this module, and 0 only
// for two versions of one pod, or for two that are nil, which come last.
func CompareIdentity(a, b *outrank.Pod) int {
	if a == nil || b == nil {
		return compareNil(a == nil, b == nil)
	}
	if c := strings.Compare(a.NamespaceName(), b.NamespaceName()); c != 0 {
		return c
	}
	if c := strings.Compare(a.Name, b.Name); c != 0 {
		return c
	}
	return strings.Compare(a.UID, b.UID)
}

func compareNil(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
