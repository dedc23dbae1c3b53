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

// Context is that of the scenario, which ends its questions.
func (s *Scenario) Context() error { return s.ctx.Err() }

// Put takes a pod for the one of its name, where that is, whatever the cluster says of it: for a
// search that tries one pod in several ways. It is no change that contradicts another.
func (s *Scenario) Put(p *outrank.Pod) error {
	_, err := s.snap.PutPod(p)
	return err
}

// Turn is the turn of one pod as the scenario stands, whoever else waits. Nothing comes of it.
// Errors are those of [engine.Evaluator.Preempt], and about a pod whose scheduler is not
// known.
func (s *Scenario) Turn(pod *outrank.Pod) (Turn, error) {
	eval, err := s.set.decider(pod)
	if err != nil {
		return Turn{}, err
	}
	t, _, err := s.decide(eval, pod)
	return t, err
}

// NoEffect says why the node of a plan does not take the pod even once the victims are gone, which
// [Turn.InVain] says of a turn; nil where it does, and for a plan that evicts nobody or resizes. The
// setting stays as it is. Errors are those of [Scenario.Turn].
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

// Text is the reason in a few words.
func (r *Reason) Text() string { return reasons([]Reason{{r.Filter, r.Reasons, 0}}) }

// Down lets everything take its turn, to the end, that has at least a priority, and returns what
// came of it. Who has a place by then keeps it: no pod of a lower priority takes it away.
func (s *Scenario) Down(to int32) (*Aftermath, error) {
	a := s.newAftermath()
	l, err := s.lineUp()
	if err != nil {
		return nil, err
	}
	if err := l.play(func(e *queue.Entry) bool { return priorityOf(e) >= to }, a.tell); err != nil {
		return nil, err
	}
	a.finish(s)
	return a, nil
}

// Alone refuses a pod that is not asked about by itself, or that no scheduler tries. The error
// wraps [outrank.ErrInvalid].
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

// Places reports whether the pod has a place after its turn, once those are gone that leave for it.
func (t *Turn) Places() bool { return t.fate() == Placed || t.fate() == PushesOut }

// Fresh counts the pods that leave for it and would not leave otherwise.
func (t *Turn) Fresh() int { return fresh(t.Victims) }

// Text is the outcome in a few words.
func (t *Turn) Text() string { return t.outcome() }

// Notes name those who leave, why a pod waits, and lost nominations; limit bounds their lists.
func (t *Turn) Notes(limit int) []string { return t.notes(limit) }

// Text names the pod and its priority, and what is special about its leaving.
func (v *Victim) Text() string { return v.text() }

// NameOf names a pod.
func NameOf(p *outrank.Pod, node string) Pod { return podOf(p, node) }
