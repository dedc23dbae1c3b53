package sim

import (
	"context"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/history"
	"github.com/outrank-go/outrank/priority/queue"
)

// place binds a pod to the node that was found for it, unless that fails.
func (s *scheduling) place(ctx context.Context, entry queue.Entry, p *pod, h *host) error {
	if s.config.Bind != nil {
		bind := func(context.Context) error { return s.config.Bind(p.obj, h.node) }
		if err := new(execution.Retry).Bind(ctx, s.cluster.release, bind); err != nil {
			f := execution.Failure{Entry: entry, Now: s.clock.time(), Err: err, Node: h.node.Name, Profile: p.scheduler.name, Took: &s.config.Cycle}
			err := s.fail(ctx, p, f)
			s.cluster.tries.changed(nil) // the next time it may work
			return err
		}
	}
	return s.life.bind(entry, p, h)
}

// fail is the other end of an attempt.
func (s *scheduling) fail(ctx context.Context, p *pod, f execution.Failure) error {
	before := s.cluster.tries.state
	f.Release, f.Variant = s.cluster.release, s.config.variant()
	p.lineage.refused = true
	if f.Plan != nil && f.Plan.Outcome == preemption.Preempt {
		if err := s.decided(p.scheduler, Decision{Plan: f.Plan}); err != nil {
			return err
		}
		report, err := p.scheduler.executor.Execute(ctx, f.Plan)
		f.ExecutionErr = err
		if err := s.record(p, report); err != nil {
			return err
		}
	}
	if _, err := s.failures.Handle(ctx, f); err != nil {
		return err
	}
	s.cluster.show(p)
	s.line.refused(p, before)
	return nil
}

// decided reports a plan.
func (s *scheduling) decided(x *schedulerState, d Decision) error {
	if s.config.Decided == nil {
		return nil
	}
	d.Evaluator, d.Snapshot, d.Time = x.eval, s.cluster.snap, s.clock.time()
	return s.config.Decided(d)
}

// record adds an executed plan to the history.
func (s *scheduling) record(p *pod, r *execution.Report) error {
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
