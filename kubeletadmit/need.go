package kubeletadmit

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// ResourceNeed is an amount of a resource, counted like [resource.Amount]: thousandths of a core
// for cpu, whole units for all others.
type ResourceNeed struct {
	Resource resource.Name
	Amount   int64
}

// String returns the amount and the resource, "1500m cpu".
func (n ResourceNeed) String() string {
	return amountText(n.Resource, n.Amount) + " " + string(n.Resource)
}

// shortText returns the message of a rejection: what the pod would still lack if every pod that it
// may preempt were evicted.
func shortText(pod outrank.Key, missing []ResourceNeed) string {
	parts := make([]string, len(missing))
	for i, n := range missing {
		parts[i] = n.String()
	}
	return fmt.Sprintf("pod %s: not enough to be freed: evicting every pod it may preempt leaves it short of %s", pod, strings.Join(parts, ", "))
}

// referenceShortText returns shortText in the words of the kubelet.
func referenceShortText(missing []ResourceNeed) string {
	var parts strings.Builder
	for _, n := range missing {
		fmt.Fprintf(&parts, "(res: %s, q: %d), ", n.Resource, n.Amount)
	}
	return "Unexpected error while attempting to recover from admission failure: preemption: " +
		"error finding a set of pods to preempt: no set of running pods found to reclaim resources: [" + parts.String() + "]"
}
