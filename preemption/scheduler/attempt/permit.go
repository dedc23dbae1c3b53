package attempt

import (
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// resizeFits is the reason why the pod of a resize waits for which there is room.
var resizeFits = []string{prose.ResizeFits}

// Permit returns the status that keeps a pod from going on although it fits. That is Success for all
// pods except one whose deferred resize has room, which the kubelet carries out (rule 7.19.7). A scheduler
// then has the pod wait as unschedulable, as after any refusal ([execution.Failure].Refused). Permit also
// returns Success for a plan with another outcome, and for nil. The Reasons are shared: do
// not change them.
func Permit(plan *preemption.Plan) preemption.Status {
	if plan == nil || !plan.Resize || plan.Outcome != preemption.Fits {
		return preemption.Status{}
	}
	return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Filter: preemption.DeferredPodScheduling, Reasons: resizeFits}
}
