package kubeletadmit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// ResourceNeed is an amount of a resource that is needed or freed.
type ResourceNeed struct {
	Resource resource.Name
	// Amount is counted like [resource.Amount]: thousandths of a core for cpu,
	// whole units for everything else.
	Amount int64
}

// String returns the amount and the resource, "1500m cpu".
func (n ResourceNeed) String() string {
	return amountText(n.Resource, n.Amount) + " " + string(n.Resource)
}

// ErrNotEnough is wrapped by the error of an [Admission] that was rejected
// because all pods that may be preempted together do not hold enough.
var ErrNotEnough = errors.New("not enough to be freed")

// NotEnoughError says what would still be missing if every pod that may be
// preempted were evicted. It wraps [ErrNotEnough].
type NotEnoughError struct {
	// Pod is the namespace/name of the pod that needs room.
	Pod outrank.Key
	// Missing has an entry for each shortage that stays, in the order of the
	// failures.
	Missing []ResourceNeed
}

// Error names the pod and everything that is missing.
func (e *NotEnoughError) Error() string {
	parts := make([]string, len(e.Missing))
	for i, n := range e.Missing {
		parts[i] = n.String()
	}
	return fmt.Sprintf("pod %s: %v: evicting every pod it may preempt leaves it short of %s",
		e.Pod, ErrNotEnough, strings.Join(parts, ", "))
}

// referenceText is the error in the words of the kubelet.
func (e *NotEnoughError) referenceText() string {
	var missing strings.Builder
	for _, n := range e.Missing {
		fmt.Fprintf(&missing, "(res: %s, q: %d), ", n.Resource, n.Amount)
	}
	return "Unexpected error while attempting to recover from admission failure: preemption: " +
		"error finding a set of pods to preempt: no set of running pods found to reclaim resources: [" + missing.String() + "]"
}

// Unwrap returns [ErrNotEnough].
func (e *NotEnoughError) Unwrap() error { return ErrNotEnough }
