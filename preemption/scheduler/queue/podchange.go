package queue

import (
	"reflect"
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
