package attempt

import (
	"context"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// decided is the decision about a pod: nodes that take it, or a plan. It holds for the snapshot
// at this revision.
type decided struct {
	pod      *outrank.Pod
	nodes    []*outrank.Node
	plan     *preemption.Plan
	revision uint64
}

// asDecision returns the plan, and a nil interface if there is none.
func (d *decided) asDecision() preemption.Decision {
	if d.plan == nil {
		return nil
	}
	return d.plan
}

// hookError is an error of a function of the caller. Unlike other errors of a decision it is also returned to
// the caller.
type hookError struct{ error }

func (e *hookError) Unwrap() error { return e.error }

// decide brings the nominations of the snapshot up to date, decides, and tells Config.Decided. An error
// comes with the decision as far as it was made, but without a plan that Config.Decided refused.
func (l *Loop) decide(ctx context.Context, pod *outrank.Pod, now time.Time) (decided, error) {
	if err := l.know(pod); err != nil {
		return decided{}, err
	}
	if err := l.nominator.ApplyTo(l.snap); err != nil {
		return decided{}, err
	}

	d, err := l.ask(ctx, pod, now)
	switch {
	case err != nil:
		return d, err
	case len(d.nodes) == 0 && d.plan == nil:
		return d, &hookError{fmt.Errorf("pod %s: %w: a decision without a node and without a plan", pod.Key(), outrank.ErrInvalid)}
	case l.tell == nil:
		return d, nil
	}
	if err := l.tell(d.nodes, d.asDecision()); err != nil {
		d.plan = nil
		return d, &hookError{err}
	}
	return d, nil
}

// know puts a pod into the snapshot if it is not there yet, because the loop's own nominator takes pods from
// the snapshot. A nominator of the caller may take them from elsewhere.
func (l *Loop) know(pod *outrank.Pod) error {
	if !l.owns {
		return nil
	}
	if _, known := l.snap.Pod(pod.Key()); known {
		return nil
	}
	if _, err := l.snap.PutPod(pod); err != nil {
		return err
	}
	_ = l.nominator.Add(pod, "") // without a node, Add returns no error
	return nil
}

// ask asks Config.Decide or, if it is nil, Loop.Decide. Loop.Decide changes nothing, so its answer holds for
// the snapshot that it was asked about. A function of the caller may change the snapshot: its answer holds
// for the snapshot as it is when the function returns.
func (l *Loop) ask(ctx context.Context, pod *outrank.Pod, now time.Time) (decided, error) {
	if l.decideAs == nil {
		revision := l.snap.Revision()
		nodes, plan, err := l.Decide(ctx, pod, now)
		return decided{pod: pod, nodes: nodes, plan: plan, revision: revision}, err
	}
	nodes, plan, err := l.decideAs(ctx, pod, now)
	return decided{pod: pod, nodes: nodes, plan: plan, revision: l.snap.Revision()}, err
}

// Decide decides about a pod, on the snapshot as it is. It returns the nodes that take the pod or, if none
// does, the plan that says who has to leave (steps 2 and 3 of kube-scheduler's scheduling cycle). If the node
// that the pod is nominated to takes it, this is the only one ([engine.Evaluator.Feasible]). For a pod whose
// resize is deferred only preemption is asked. Errors are the same as for [engine.Evaluator.Preempt]; the
// error of an extender comes with a plan. Nothing is changed.
func (l *Loop) Decide(ctx context.Context, pod *outrank.Pod, now time.Time) (nodes []*outrank.Node, plan *preemption.Plan, err error) {
	if err := l.ready(ctx); err != nil {
		return nil, nil, err
	}

	// Preempt is asked before the feasible nodes are listed, because it remembers its answers about equal pods.
	req := preemption.Request{Pod: pod, Now: now}
	if l.offset != nil {
		req.Offset = l.offset(pod)
	}
	plan, err = l.eval.Preempt(ctx, l.snap, req)
	if err != nil || plan.Outcome != preemption.Fits || plan.Resize {
		return nil, plan, err
	}
	nodes, err = l.eval.Feasible(ctx, l.snap, pod)
	return nodes, nil, err
}

// stale returns the error for a decision that no longer holds, with the reason.
func stale(pod *outrank.Pod, why any) error {
	return fmt.Errorf("pod %s: %w: the snapshot was changed during the attempt: %v", pod.Key(), engine.ErrStale, why)
}

// stillHolds returns an error if the snapshot was changed since the decision so that the plan no longer holds.
func (l *Loop) stillHolds(ctx context.Context, d decided) error {
	if l.snap.Revision() == d.revision {
		return nil
	}
	if err := l.eval.Verify(ctx, l.snap, d.plan); err != nil {
		return stale(d.pod, err)
	}
	return nil
}
