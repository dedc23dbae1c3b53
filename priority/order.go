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

// Compare returns a negative number if a is more important than b, a positive one
// if b is, and 0 if they are equal in this order (rules 4.3.3 to 4.3.6;
// MoreImportantPod):
//
//  1. the higher priority; no priority counts as 0;
//  2. the earlier start; no start time counts as now;
//  3. the namespace, then the name, then the UID; the first by bytes is more important.
//
// The reference stops after the second and takes now from a clock. Here now is an
// argument, and the third makes the order total: the result is 0 only for pods with
// the same priority, start and identity. A nil pod is less important than any other.
// The call takes constant time and allocates nothing. This sorts the most important
// pods first:
//
//	slices.SortFunc(pods, func(a, b *outrank.Pod) int { return priority.Compare(a, b, now) })
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

// started returns when the pod started, or now if it has no start time (rule 4.3.5).
func started(pod *outrank.Pod, now time.Time) time.Time {
	if pod.StartTime.IsZero() {
		return now
	}
	return pod.StartTime
}

// CompareIdentity orders pods by the namespace, then the name, then the UID, each
// by bytes. As the last key it makes an order of pods total. It is 0 only for two
// versions of one pod and for two nil pods. A nil pod comes last.
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

// compareNil compares two pods of which at least one is nil; a and b report which. A nil pod comes
// last.
func compareNil(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
