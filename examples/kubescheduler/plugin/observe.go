package plugin

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
)

// observe counts a decision and passes it to the program.
func (p *Plugin) observe(d Decision) {
	by, outcome, code := execution.ByPod, "error", preemption.Contradiction
	switch {
	case d.Err != nil:
	case d.Plan != nil:
		outcome, code = d.Plan.Outcome.String(), preemption.Unschedulable
		if d.Plan.Outcome == preemption.Preempt {
			code = preemption.Success
		}
	case d.Group != nil:
		by = execution.ByPodGroup // for a tree, too: the reference tells no difference here
		outcome, code = d.Group.Outcome.String(), d.Group.Status.Code
	}
	p.options.Metrics.AddDecision(by, outcome, d.Followed, d.Decided)
	p.options.Metrics.Counts.AddEvaluation(execution.PreemptionStep{By: by, Result: code}, d.Decided)
	if p.options.Observe != nil {
		p.options.Observe(d)
	}
}
