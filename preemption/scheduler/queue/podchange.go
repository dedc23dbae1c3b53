package queue

import (
	"reflect"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// sameButStatus reports whether two versions of a pending pod differ at most in
// the parts of its status that it has while it is pending (rule 5.4.5; upstream's
// isPodUpdated), and in the caller's own value. Containers have no status before
// a pod runs.
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

// preemptionOf returns the fields that decide which pods a pod may push out. A change of them may help
// whatever the pod failed with (rule 5.4.9).
func preemptionOf(p *outrank.Pod) []any {
	return []any{p.PriorityValue(), p.PreemptionPolicy}
}

// differ reports whether the parts are not the same in two versions of a pod.
func (f looked) differ(a, b *outrank.Pod) bool { return !reflect.DeepEqual(f(a), f(b)) }

// ownChangeHelps reports whether a pod may fit after a change of its own although
// these filters kept it off before. It may if a version is not known.
func ownChangeHelps(filters []string, before, after *outrank.Pod) bool {
	if before == nil || after == nil || looked(preemptionOf).differ(before, after) {
		return true
	}
	return slices.ContainsFunc(filters, func(name string) bool {
		looks, known := looksAt[name]
		return !known || looks.differ(before, after)
	})
}
