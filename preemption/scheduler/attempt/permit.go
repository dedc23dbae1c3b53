package attempt

import (
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// resizeFits is the reason why a pod whose resize has room waits still.
var resizeFits = []string{prose.ResizeFits}

// Permit returns the status with which a scheduler lets a pod that fits go on or not. It is Success for all
// pods except one whose deferred resize has room, because the kubelet carries the resize out (rule 7.19.7). A
// scheduler then puts the pod back as unschedulable, as after any refusal ([execution.Failure].Refused).
// Permit also returns Success for a plan with another outcome, and for nil. The Reasons are shared: do
// not change them.
func Permit(plan *preemption.Plan) preemption.Status {
	if plan == nil || !plan.Resize || plan.Outcome != preemption.Fits {
		return preemption.Status{}
	}
	return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Filter: preemption.DeferredPodScheduling, Reasons: resizeFits}
}
