package sim

import (
	"context"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/history"
	"github.com/outrank-go/outrank/priority/queue"
)

// cycle is one scheduling cycle; see the package comment.
func (s *Simulation) cycle(ctx context.Context) error {
	if s.refuse() {
		return nil
	}
	entry, ok := s.queue.TryPop(s.Time())
	if !ok {
		return nil // a gate held the pod whose time had come
	}
	s.latest = entry.Cycle
	if entry.Group != nil {
		return s.cycleOfGang(ctx, entry)
	}
	s.busy = later(s.at, s.config.Cycle)
	p := s.pods[entry.Pod.Key()]
	nodes, plan, err := s.ask(ctx, p)
	if len(nodes) > 0 {
		return s.place(ctx, entry, p, s.pick(p, nodes))
	}
	return s.fail(ctx, p, execution.Failure{Entry: entry, Now: s.Time(), Plan: plan, Err: err, Profile: p.scheduler.name, Took: &s.config.Cycle})
}

// ask finds the nodes that take a pod or, where there are none, the plan to make
// room. The node that the pod is nominated to is asked before all others. Most attempts in a full cluster fail, and what every node says to pods
// of one shape is remembered for plans alone, so that the plan is asked for
// first; but not where that would take new budgets. The answer is the same. So it is
// where pods that are alike share it.
func (s *Simulation) ask(ctx context.Context, p *pod) ([]*outrank.Node, *preemption.Plan, error) {
	class := s.alikeTo(p)
	if class == nil {
		return s.askAnew(ctx, p)
	}
	if plan := class.planFor(p); plan != nil {
		return nil, plan, nil
	}
	nodes, plan, err := s.askAnew(ctx, p)
	if plan != nil && err == nil {
		class.learn(plan)
	}
	return nodes, plan, err
}

func (s *Simulation) askAnew(ctx context.Context, p *pod) ([]*outrank.Node, *preemption.Plan, error) {
	eval := p.scheduler.eval
	if node, err := eval.FeasibleNominated(ctx, s.snap, p.obj); err != nil {
		return nil, nil, err
	} else if node != nil {
		return []*outrank.Node{node}, nil, nil
	}
	if !s.budgets.any {
		plan, err := eval.Preempt(ctx, s.snap, p.obj, s.Time())
		if err != nil || plan.Outcome != preemption.Fits {
			return nil, plan, err
		}
	}
	nodes, err := eval.Feasible(ctx, s.snap, p.obj)
	if err != nil || len(nodes) > 0 {
		return nodes, nil, err
	}
	s.syncBudgets()
	plan, err := eval.Preempt(ctx, s.snap, p.obj, s.Time())
	return nil, plan, err
}

// place binds a pod to the node that was found for it, unless that fails.
func (s *Simulation) place(ctx context.Context, entry queue.Entry, p *pod, h *host) error {
	if s.config.Bind != nil {
		bind := func(context.Context) error { return s.config.Bind(p.obj, h.node) }
		if err := new(execution.Retry).Bind(ctx, s.release, bind); err != nil {
			f := execution.Failure{Entry: entry, Now: s.Time(), Err: err, Node: h.node.Name, Profile: p.scheduler.name, Took: &s.config.Cycle}
			err := s.fail(ctx, p, f)
			s.changed(nil) // the next time it may work
			return err
		}
	}
	return s.bind(entry, p, h)
}

// fail is the other end of an attempt.
func (s *Simulation) fail(ctx context.Context, p *pod, f execution.Failure) error {
	before := s.state
	f.Release, f.Variant = s.release, s.config.variant()
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
	handler := execution.FailureHandler{Actions: s.actions, Queue: s.queue, Nominator: &s.nominator, Metrics: &s.metrics}
	if _, err := handler.Handle(ctx, f); err != nil {
		return err
	}
	s.show(p)
	if s.state == before && p.tried != s.state {
		p.tried = s.state
		s.tried++
	}
	return nil
}

// decided tells of a plan.
func (s *Simulation) decided(x *schedulerState, d Decision) error {
	if s.config.Decided == nil {
		return nil
	}
	d.Evaluator, d.Snapshot, d.Time = x.eval, s.snap, s.Time()
	return s.config.Decided(d)
}

// record tells the history of a plan that was executed.
func (s *Simulation) record(p *pod, r *execution.Report) error {
	victims := s.lineagesOf(r)
	if len(victims) == 0 {
		return nil // whoever had to leave was on the way out
	}
	return s.history.Record(history.Preemption{Time: s.Time(), Node: r.Node, Preemptor: p.lineage.name, Victims: victims})
}

// lineagesOf names the victims that were told to go.
func (s *Simulation) lineagesOf(r *execution.Report) []string {
	var names []string
	for _, v := range r.Victims {
		told := v.Result == execution.Evicted || v.Result == execution.RejectedWhileWaiting
		if told && !v.Pod.Terminating() {
			names = append(names, s.pods[v.Pod.Key()].lineage.name)
		}
	}
	return names
}
