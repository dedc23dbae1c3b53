package sim

import (
	"context"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
)

// cycle is one scheduling cycle; see the package comment.
func (s *scheduling) cycle(ctx context.Context) error {
	if s.refuse() {
		return nil
	}
	entry, ok := s.line.queue.TryPop(s.clock.time())
	if !ok {
		return nil // a gate held the pod that was due
	}
	s.cluster.tries.latest = entry.Cycle
	if entry.Group != nil {
		return s.cycleOfGang(ctx, entry)
	}
	s.busy = later(s.clock.at, s.config.Cycle)
	p := s.lives.pods[entry.Pod.Key()]
	nodes, plan, err := s.ask(ctx, p)
	if len(nodes) > 0 {
		return s.place(ctx, entry, p, s.pick(p, nodes))
	}
	return s.fail(ctx, p, execution.Failure{Entry: entry, Now: s.clock.time(), Plan: plan, Err: err, Profile: p.scheduler.name, Took: &s.config.Cycle})
}

// ask finds the nodes that take a pod or, where there are none, the plan to make
// room. The nominated node is asked before all others. Most attempts in a full
// cluster fail, and the nodes' answers to pods of one shape are remembered for
// plans alone, so that the plan is asked for first; but not where that would take
// new budgets. The answer is the same, also where equal pods share it.
func (s *scheduling) ask(ctx context.Context, p *pod) ([]*outrank.Node, *preemption.Plan, error) {
	class := s.sharing.classOf(p)
	if class == nil {
		return s.askAnew(ctx, p)
	}
	if plan := class.planFor(p.obj, s.config.Observe != nil); plan != nil {
		return nil, plan, nil
	}
	nodes, plan, err := s.askAnew(ctx, p)
	if plan != nil && err == nil {
		class.learn(plan)
	}
	return nodes, plan, err
}

func (s *scheduling) askAnew(ctx context.Context, p *pod) ([]*outrank.Node, *preemption.Plan, error) {
	eval := p.scheduler.eval
	if node, err := eval.FeasibleNominated(ctx, s.cluster.snap, p.obj); err != nil {
		return nil, nil, err
	} else if node != nil {
		return []*outrank.Node{node}, nil, nil
	}
	if !s.cluster.budgets.any {
		plan, err := eval.Preempt(ctx, s.cluster.snap, p.obj, s.clock.time())
		if err != nil || plan.Outcome != preemption.Fits {
			return nil, plan, err
		}
	}
	nodes, err := eval.Feasible(ctx, s.cluster.snap, p.obj)
	if err != nil || len(nodes) > 0 {
		return nodes, nil, err
	}
	s.cluster.syncBudgets(s.clock.time())
	plan, err := eval.Preempt(ctx, s.cluster.snap, p.obj, s.clock.time())
	return nil, plan, err
}
