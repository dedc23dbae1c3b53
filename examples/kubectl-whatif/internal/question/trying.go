package question

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Changed reports whether any change was made.
func (s *Scenario) Changed() bool { return len(s.owner) > 0 }

// Context returns the error of the scenario's context, which ends its questions. It is nil while they may go
// on.
func (s *Scenario) Context() error { return s.ctx.Err() }

// Put adds a pod, or replaces the pod of the same name. Searches use it to try a pod in several versions. It
// does not count as a change, and so contradicts none.
func (s *Scenario) Put(p *outrank.Pod) error {
	_, err := s.snap.PutPod(p)
	return err
}

// Turn decides about one pod in the present state of the scenario, ignoring other waiting pods, and changes
// nothing. Errors are those of [engine.Evaluator.Preempt], and one about a pod whose scheduler is not known.
func (s *Scenario) Turn(pod *outrank.Pod) (Turn, error) {
	eval, err := s.set.decider(pod)
	if err != nil {
		return Turn{}, err
	}
	t, _, err := s.decide(eval, pod)
	return t, err
}

// NoEffect says for a plan what [Turn.InVain] says for a turn: why the node does not take the pod even once the
// victims are gone. It is nil if the node does, and for a plan that evicts nobody or is about a resize. The
// setting does not change. Errors are those of [Scenario.Turn].
func NoEffect(ctx context.Context, set Setting, plan *preemption.Plan) (*Reason, error) {
	if plan.Outcome != preemption.Preempts || plan.Resize {
		return nil, nil
	}
	eval, err := set.decider(plan.Pod)
	if err != nil {
		return nil, err
	}
	return set.scene(ctx).whyInVain(eval, plan)
}

// Text returns the reason in a few words.
func (r *Reason) Text() string { return reasons([]Reason{{r.Filter, r.Reasons, 0}}) }

// Down plays the turns of all pods of at least the given priority, to their end, and returns what came of them.
// A pod that has a place by then keeps it, because no pod of a lower priority can take it away.
func (s *Scenario) Down(to int32) (*Aftermath, error) {
	return s.playOut(func(e *queue.Entry) bool { return priorityOf(e) >= to })
}

// Alone refuses a pod that cannot be asked about by itself, because it is scheduled with its group or because
// no scheduler tries it. The error wraps [outrank.ErrInvalid].
func (s *Scenario) Alone(pod *outrank.Pod) error {
	switch {
	case pod == nil:
		return fmt.Errorf("%w: no pod", outrank.ErrInvalid)
	case s.grouped(pod):
		return notOne(pod, "spec.schedulingGroup.podGroupName", "it is scheduled with its group alone, and not by itself")
	case pod.Gated():
		return notOne(pod, "spec.schedulingGates", "gates keep it back, so that it would not be tried")
	case pod.ResizeDeferred:
		return notOne(pod, "status.conditions", "it waits for its resize in place, and not for a node")
	case pod.Terminating():
		return notOne(pod, "metadata.deletionTimestamp", "it is being deleted, and no scheduler tries it")
	}
	return nil
}
