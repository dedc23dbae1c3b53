package sim

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/planner/history"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// outcome enters the result of an attempt with a pod; before is the state of the cluster in which the attempt
// was made.
func (s *scheduling) outcome(p *pod, r *attempt.Result, before uint64) error {
	if r.Outcome == attempt.Bound {
		return nil
	}

	p.lineage.refused = true
	if err := s.record(p, r.Report); err != nil {
		return err
	}
	s.cluster.show(p)
	s.line.refused(p, before)
	if len(r.Nodes) > 0 {
		s.cluster.changed(nil) // the next time binding may work
	}
	return nil
}

// decided reports a plan with victims to the configuration's Decided.
func (s *scheduling) decided(x *schedulerState, made preemption.Decision) error {
	if s.config.Decided == nil {
		return nil
	}

	d := Decision{Evaluator: x.eval, Snapshot: s.cluster.snap, Time: s.clock.time()}
	preempts := false
	switch plan := made.(type) {
	case *preemption.Plan:
		d.Plan = plan
		preempts = plan != nil && plan.Outcome == preemption.Preempts
	case *preemption.GroupPlan:
		d.Group = plan
		preempts = plan != nil && plan.Outcome == preemption.Preempts
	}
	if !preempts {
		return nil
	}
	return s.config.Decided(d)
}

// record adds an executed plan to the history.
func (s *scheduling) record(p *pod, r *execution.Report) error {
	if r == nil {
		return nil
	}
	victims := s.lineagesOf(r)
	if len(victims) == 0 {
		return nil // all victims were on the way out
	}
	return s.tally.record(history.Preemption{Time: s.clock.time(), Node: r.Node, Preemptor: p.lineage.name, Victims: victims})
}

// lineagesOf names the lineages of the victims that were told to go, those left out that were on their way
// out before.
func (s *scheduling) lineagesOf(r *execution.Report) []string {
	var names []string
	for _, v := range r.Victims {
		told := v.Result == execution.Evicted || v.Result == execution.RejectedWhileWaiting
		if told && !v.Pod.Terminating() {
			names = append(names, s.lives.pods[v.Pod.Key()].lineage.name)
		}
	}
	return names
}
