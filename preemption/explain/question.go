package explain

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Question is what is asked: the request, of the evaluator, about the snapshot as it is. The snapshot
// is only read, and any number of questions may be about it at once.
type Question struct {
	Evaluator *engine.Evaluator
	Snapshot  *engine.Snapshot
	// Request may be without its Pod where there is a Plan.
	Request preemption.Request
	// Plan is the answer of the evaluator, where it is there already; nil has the evaluator asked. One of
	// engine.Evaluator.Explain is taken as it is, and has to be the answer to this question. Any other
	// plan says too little of the nodes: the evaluator is asked again, and the error wraps
	// engine.ErrStale where its answer is another one by now, or was from the beginning.
	Plan *preemption.Plan
}

// answer returns what the evaluator says of every node, and gives the request the pod of the plan.
func (q *Question) answer(ctx context.Context) (*preemption.Plan, error) {
	plan := q.Plan
	if plan != nil && q.Request.Pod == nil {
		q.Request.Pod = plan.Pod
	}
	switch {
	case ctx == nil:
		return nil, fmt.Errorf("%w: no context", outrank.ErrInvalid)
	case q.Evaluator == nil:
		return nil, errNoEvaluator
	case plan != nil && plan.Nodes != nil:
		return plan, nil
	}

	ex, err := q.Evaluator.Explain(ctx, q.Snapshot, q.Request)
	if err != nil {
		return nil, err
	}
	if plan != nil && (ex.Outcome != plan.Outcome || ex.Node != plan.Node || !samePods(ex.Victims, plan.Victims)) {
		return nil, fmt.Errorf("plan for pod %s: %w: the answer is %s now", q.Request.Pod.Key(), engine.ErrStale, ex.Outcome)
	}
	return ex, nil
}

// samePods reports whether these are the same victims.
func samePods(a, b []preemption.Victim) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if b[i].Pod == nil || a[i].Pod.Key() != b[i].Pod.Key() || a[i].Pod.UID != b[i].Pod.UID {
			return false
		}
	}
	return true
}
