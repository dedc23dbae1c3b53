package plugin

import (
	"errors"

	"github.com/outrank-go/outrank/preemption"
	schedulermetrics "github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
)

// The outcomes of the metrics beside those of plans.
const (
	outcomeError = "error"
	// outcomeHandedOver is that of attempts that DefaultPreemption decides.
	outcomeHandedOver = "handed over"
)

// observe counts a decision and passes it to the program. One that was handed over is counted
// alone: DefaultPreemption counts what it does.
func (p *Plugin) observe(by string, d Decision) {
	if errors.Is(d.Err, errAside) {
		p.options.Metrics.AddHandedOver(by, string(ForObjects))
		p.options.Metrics.AddDecision(by, outcomeHandedOver, d.Followed, d.Decided)
		return
	}
	outcome, code := outcomeError, preemption.Contradiction
	switch {
	case d.Err != nil:
	case d.Plan != nil:
		outcome, code = string(d.Plan.Outcome), preemption.Unschedulable
		if d.Plan.Outcome == preemption.Preempts {
			code = preemption.Success
		}
	case d.Group != nil:
		outcome, code = string(d.Group.Outcome), d.Group.Status.Code
	}
	step := schedulermetrics.PreemptionStep{By: by, Result: code}
	switch {
	case d.HandedOver == "":
		p.options.Metrics.AddDecision(by, outcome, d.Followed, d.Decided)
		p.options.Metrics.Counts.AddEvaluation(step, d.Decided)
	default:
		p.options.Metrics.AddHandedOver(by, string(d.HandedOver))
		p.options.Metrics.AddOutcome(by, outcome, d.Decided)
		if by == "pod" { // about a group, DefaultPreemption counts it
			p.options.Metrics.Counts.AddEvaluation(step, d.Decided)
		}
	}
	if p.options.Observe != nil {
		p.options.Observe(d)
	}
}
