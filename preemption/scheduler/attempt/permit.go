package attempt

import (
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// resizeFits is the reason of a resize for which there is room.
var resizeFits = []string{prose.ResizeFits}

// Permit returns what keeps a pod from going on that fits: nothing, so Success, but
// for a deferred resize, which the kubelet carries out (rule 7.19.7). A scheduler then
// has the pod wait as unschedulable, as after any refusal ([execution.Failure].Refused). It is
// Success, too, where the outcome is another one, and without a plan. The Reasons are shared: do
// not change them.
func Permit(plan *preemption.Plan) preemption.Status {
	if plan == nil || !plan.Resize || plan.Outcome != preemption.Fits {
		return preemption.Status{}
	}
	return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Filter: preemption.DeferredPodScheduling, Reasons: resizeFits}
}
