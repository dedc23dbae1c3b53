package sim

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/planner/history"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// outcome takes in what became of an attempt with a pod, which was made in a state of the
// cluster.
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
		s.cluster.tries.changed(nil) // the next time binding may work
	}
	return nil
}

// decided reports a plan with victims.
func (s *scheduling) decided(x *schedulerState, made preemption.Decision) error {
	var d Decision
	switch plan := made.(type) {
	case *preemption.Plan:
		d.Plan = plan
	case *preemption.GroupPlan:
		d.Group = plan
	}
	if s.config.Decided == nil || (d.Plan == nil || d.Plan.Outcome != preemption.Preempts) && (d.Group == nil || d.Group.Outcome != preemption.Preempts) {
		return nil
	}
	d.Evaluator, d.Snapshot, d.Time = x.eval, s.cluster.snap, s.clock.time()
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
	return s.tally.history.Record(history.Preemption{Time: s.clock.time(), Node: r.Node, Preemptor: p.lineage.name, Victims: victims})
}

// lineagesOf names the victims that were told to go.
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
