package sim

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/planner/history"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// outcome records the result of an attempt with a pod. before is the state of the cluster in which the
// attempt was made.
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

	// A pod with feasible nodes that was not bound has failed to bind.
	if len(r.Nodes) > 0 {
		s.cluster.changed(nil) // binding may succeed the next time
	}
	return nil
}

// decided passes a plan with victims to Config.Decided.
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

// record adds a carried-out plan to the history.
func (s *scheduling) record(p *pod, r *execution.Report) error {
	if r == nil {
		return nil
	}
	victims := s.lineagesOf(r)
	if len(victims) == 0 {
		return nil // all victims were terminating already
	}
	return s.tally.record(history.Preemption{Time: s.clock.time(), Node: r.Node, Preemptor: p.lineage.name, Victims: victims})
}

// lineagesOf returns the names of the lineages of the evicted victims, without those that were terminating
// before.
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
