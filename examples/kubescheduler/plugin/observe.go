package plugin

import (
	"errors"

	"github.com/outrank-go/outrank/preemption"
	schedulermetrics "github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
)

// The outcomes in the metrics that no plan has.
const (
	outcomeError = "error"
	// outcomeHandedOver is the outcome of an attempt about which DefaultPreemption decides.
	outcomeHandedOver = "handed over"
)

// observe counts a decision and passes it to the program. By names the preemptor in the metrics.
func (p *Plugin) observe(by string, d Decision) {
	// The fallback makes the decision and counts what it does. The program does not see that decision.
	metrics := p.options.Metrics
	if errors.Is(d.Err, errAside) {
		metrics.AddHandedOver(by, string(ForObjects))
		metrics.AddDecision(by, outcomeHandedOver, d.Followed, d.Decided)
		return
	}

	// The reference's metrics know codes and no outcomes: what is no error and does not preempt is Unschedulable.
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

	// A decision that was handed over did not bring the snapshot up to date. For a group DefaultPreemption's
	// evaluator counts the evaluation itself.
	step := schedulermetrics.PreemptionStep{By: by, Result: code}
	switch {
	case d.HandedOver == "":
		metrics.AddDecision(by, outcome, d.Followed, d.Decided)
		metrics.Counts.AddEvaluation(step, d.Decided)
	default:
		metrics.AddHandedOver(by, string(d.HandedOver))
		metrics.AddOutcome(by, outcome, d.Decided)
		if by == "pod" {
			metrics.Counts.AddEvaluation(step, d.Decided)
		}
	}

	if p.options.Observe != nil {
		p.options.Observe(d)
	}
}
