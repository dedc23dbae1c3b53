package sim

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
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
	before := s.cluster.tries.state
	r, err := p.scheduler.loop.Attempt(ctx, entry, s.clock.time())
	if err := errors.Join(err, s.actions.broke); err != nil {
		return err
	}
	return s.outcome(p, r, before)
}

// offsetOf is where a sample begins for a pod: with a seed, anywhere, and each pod always at one node.
func (s *scheduling) offsetOf(pod *outrank.Pod) int {
	if s.config.Seed == 0 {
		return 0
	}
	h := fnv.New32a()
	fmt.Fprintf(h, "%d %s", s.config.Seed, pod.Key())
	return int(h.Sum32() >> 1) // of 31 bits, so that int of 32 holds it
}

// loopOf makes what a scheduler's attempts are made with.
func (s *scheduling) loopOf(x *schedulerState) (*attempt.Loop, error) {
	return attempt.New(attempt.Config{
		Snapshot: s.cluster.snap, Queue: s.line.queue, Evaluator: x.eval,
		Execution: execution.Config{
			Actions: s.actions.functions(), Order: s.config.Order, Parallel: 1, Scheduler: x.name,
			Nominator: &s.cluster.nominator,
		},
		Metrics: &s.tally.metrics,
		Offset:  s.offsetOf,
		Place: func(ctx context.Context, obj *outrank.Pod, nodes []*outrank.Node) (*outrank.Node, error) {
			h, err := s.pick(ctx, s.lives.pods[obj.Key()], nodes)
			if err != nil {
				s.actions.broke = err
				return nil, err
			}
			return h.node, nil
		},
		PlaceGroup: func(g *queue.Group) preemption.PlaceFunc { return s.placing(x, podsIn(g)) },
		Decide:     s.ask,
		Decided:    func(_ []*outrank.Node, plan preemption.Decision) error { return s.decided(x, plan) },
		Took:       func() time.Duration { return s.config.Cycle },
	})
}

// ask finds the nodes that take a pod or, where there are none, the plan to make
// room. The nominated node is asked before all others. Most attempts in a full
// cluster fail, and the nodes' answers to pods of one shape are remembered for
// plans alone, so that the plan is asked for first; but not where that would take
// new budgets. The answer is the same, also where equal pods share it.
func (s *scheduling) ask(ctx context.Context, obj *outrank.Pod, now time.Time) ([]*outrank.Node, *preemption.Plan, error) {
	p := s.lives.pods[obj.Key()]
	class := s.sharing.classOf(p)
	if class == nil {
		return s.askAnew(ctx, p, now)
	}
	if plan := class.planFor(p.obj, s.config.Observe != nil); plan != nil {
		return nil, plan, nil
	}
	nodes, plan, err := s.askAnew(ctx, p, now)
	if plan != nil && err == nil {
		class.learn(plan)
	}
	return nodes, plan, err
}

// askAnew looks at the nodes before budgets that have changed are brought in line, which only
// preemption looks at.
func (s *scheduling) askAnew(ctx context.Context, p *pod, now time.Time) ([]*outrank.Node, *preemption.Plan, error) {
	if s.cluster.budgets.any {
		nodes, err := p.scheduler.eval.Feasible(ctx, s.cluster.snap, p.obj)
		if err != nil || len(nodes) > 0 {
			return nodes, nil, err
		}
		s.cluster.syncBudgets(now)
	}
	return p.scheduler.loop.Decide(ctx, p.obj, now)
}
