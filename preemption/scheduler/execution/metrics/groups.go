package metrics

import (
	"time"

	"github.com/outrank-go/outrank/preemption"
)

// AddGroupPreemption is [Meter.AddPreemption] for a group. It counts the answer of preemption, and for a
// plan to preempt its victims, disruptions and violations. A nil plan means that preemption ended in an
// error. Time is linear in the plan.
func (m *Meter) AddGroupPreemption(plan *preemption.GroupPlan) {
	code := preemption.Contradiction // the reference calls this code Error
	if plan != nil {
		code = plan.Status.Code
	}
	m.change(func(c *Values) {
		if c.GroupAttempts == nil {
			c.GroupAttempts = map[preemption.Code]uint64{}
		}
		c.GroupAttempts[code]++
		if plan != nil && plan.Outcome == preemption.Preempts {
			c.GroupVictims.add(len(plan.Victims), groupBounds)
		}
	})

	if plan != nil && plan.Outcome == preemption.Preempts {
		by := "podgroup"
		if plan.Composite != nil {
			by = "compositepodgroup"
		}

		// A unit of victims counts as a disruption if it is a whole group, or a single pod of a group.
		disruptions, violations := 0, 0
		for unit := range plan.Units() {
			if pod := unit[0].Pod; pod != nil && pod.Group != "" {
				disruptions++
			}
			for i := range unit {
				if len(unit[i].Violated) > 0 {
					violations++
				}
			}
		}
		m.AddDisruptions(by, disruptions, violations)
	}
}

// AddDisruptions counts a plan to preempt. by is the kind of the preemptor, disruptions the number of victims
// that were groups or pods of groups, and violations the number of pods that violated a budget. A number
// of 0 is not counted. AddGroupPreemption calls it for the plan of a group.
func (m *Meter) AddDisruptions(by string, disruptions, violations int) {
	m.change(func(c *Values) {
		if disruptions > 0 {
			addTo(&c.Disruptions, by, groupBounds, disruptions)
		}
		if violations > 0 {
			if c.Violations == nil {
				c.Violations = map[string]uint64{}
			}
			c.Violations[by] += uint64(violations)
		}
	})
}

// AddEvaluation counts how long it took to find the victims for a pod or a group, measured by a
// clock of the caller. The result of the step is the answer of preemption.
func (m *Meter) AddEvaluation(step PreemptionStep, took time.Duration) {
	m.change(func(c *Values) { addTo(&c.Evaluations, step, stepBounds, took) })
}

// AddExecutionDuration counts how long it took to execute a plan, measured by a clock of the caller. Any
// result but Success counts as an error.
func (m *Meter) AddExecutionDuration(step PreemptionStep, took time.Duration) {
	if step.Result != preemption.Success {
		step.Result = preemption.Contradiction
	}
	m.change(func(c *Values) { addTo(&c.ExecutionDurations, step, stepBounds, took) })
}
