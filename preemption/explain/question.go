package explain

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Question asks an evaluator about a request in a snapshot. The snapshot is only read; any number of questions may
// be asked about it at once.
type Question struct {
	Evaluator *engine.Evaluator
	Snapshot  *engine.Snapshot
	// Request may leave out its Pod if Plan is set. The pod of the plan is used then.
	Request preemption.Request
	// Plan is the evaluator's answer, if it is known already. If it is nil, the evaluator is asked. A plan of
	// engine.Evaluator.Explain is used as it is, and must be the answer to this question. Any other plan says
	// too little about the nodes: the evaluator is asked again, and the error wraps engine.ErrStale if its
	// answer has another outcome, node or victims.
	Plan *preemption.Plan
}

// answer returns a plan with a report about every node. If the request has no pod, it sets the pod of the plan.
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

	// The caller's plan is from Evaluator.Preempt, or was stored and read back. It is compared with the new answer
	// in the fields that every plan has.
	if plan != nil && (ex.Outcome != plan.Outcome || ex.Node != plan.Node || !samePods(ex.Victims, plan.Victims)) {
		return nil, fmt.Errorf("plan for pod %s: %w: the answer is %s now", q.Request.Pod.Key(), engine.ErrStale, ex.Outcome)
	}
	return ex, nil
}

// samePods reports whether two plans have the same victims in the same order. Pods are compared by key and
// UID, since the pods of a plan that was read back are other objects.
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
