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

// cycle runs one scheduling cycle; see the package comment.
func (s *scheduling) cycle(ctx context.Context) error {
	if s.refuse() {
		return nil
	}

	entry, ok := s.line.pop()
	if !ok {
		return nil // a gate held back the pod that was due
	}
	s.tries.latest = entry.Cycle
	if entry.Group != nil {
		return s.cycleOfGang(ctx, entry)
	}

	// An attempt that evicts or nominates changes the state. Then the pod does not count as tried in the new
	// state.
	s.busy = later(s.clock.at, s.config.Cycle)
	p := s.lives.pods[entry.Pod.Key()]
	before := s.tries.state
	r, err := p.scheduler.attempt(ctx, entry, s.clock.time())
	if err := errors.Join(err, s.actions.broke); err != nil {
		return err
	}
	return s.outcome(p, r, before)
}

// offsetOf returns where the sample of nodes begins for a pod. With a seed it may be any node, but is always
// the same one for the same pod, so that equal runs have equal samples.
func (s *scheduling) offsetOf(pod *outrank.Pod) int {
	if s.config.Seed == 0 {
		return 0
	}
	h := fnv.New32a()
	fmt.Fprintf(h, "%d %s", s.config.Seed, pod.Key())
	return int(h.Sum32() >> 1) // 31 bits fit an int of 32
}

// loopOf returns the loop for a scheduler's attempts. It works on the queue and the snapshot of the run, and
// chooses nodes and carries out plans in the simulation's own way.
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

// ask returns the feasible nodes for a pod or, if there are none, the plan to make room. It asks nobody if an
// equal pod has been given an answer that still holds.
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

// askAnew asks the pod's scheduler. Only preemption reads budgets, and updating them is expensive. So if they
// are outdated, askAnew looks for feasible nodes first, which is often enough.
func (s *scheduling) askAnew(ctx context.Context, p *pod, now time.Time) ([]*outrank.Node, *preemption.Plan, error) {
	if s.cluster.budgetsStale() {
		nodes, err := p.scheduler.feasible(ctx, s.cluster.snap, p.obj)
		if err != nil || len(nodes) > 0 {
			return nodes, nil, err
		}
		s.cluster.syncBudgets(now)
	}
	return p.scheduler.decide(ctx, p.obj, now)
}
