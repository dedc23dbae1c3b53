package queue

import (
	"reflect"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// sameButStatus reports whether two versions of a pending pod differ at most in the parts of the status that a
// pending pod has (rule 5.4.5; upstream's isPodUpdated) and in Value, which belongs to the caller. Containers
// have no status before a pod runs.
func sameButStatus(before, after *outrank.Pod) bool {
	a, b := *before, *after
	for _, p := range []*outrank.Pod{&a, &b} {
		p.NominatedNodeName, p.StartTime, p.DisruptionReason = "", time.Time{}, ""
		p.Ready, p.QOSClass, p.Phase, p.ResizeInfeasible, p.ResizeDeferred = false, "", "", false, false
		p.Value, p.AllocatedResources, p.Actual, p.Reported = nil, nil, nil, false
	}
	return reflect.DeepEqual(a, b)
}

// looked returns the parts of a pod that a filter looks at, as values to be compared.
type looked func(p *outrank.Pod) []any

// preemptionOf returns the fields that decide which pods a pod may preempt. A change of them may help
// whatever the pod failed with (rule 5.4.9).
func preemptionOf(p *outrank.Pod) []any {
	return []any{p.PriorityValue(), p.PreemptionPolicy}
}

// differ reports whether the parts that f returns differ between two versions of a pod.
func (f looked) differ(a, b *outrank.Pod) bool { return !reflect.DeepEqual(f(a), f(b)) }

// ownChangeHelps reports whether a change of the pod itself may make it fit, although
// these filters kept it off before. It may if one of the versions is not known.
func ownChangeHelps(filters []string, before, after *outrank.Pod) bool {
	if before == nil || after == nil || looked(preemptionOf).differ(before, after) {
		return true
	}
	return slices.ContainsFunc(filters, func(name string) bool {
		looks, known := looksAt[name]
		return !known || looks.differ(before, after)
	})
}
