package explain

import (
	"context"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Question is what is asked: the request, of the evaluator, about the snapshot as it is. The snapshot
// is only read, and any number of questions may be about it at once.
type Question struct {
	Evaluator *engine.Evaluator
	Snapshot  *engine.Snapshot
	Request   preemption.Request
}

// explanation asks the evaluator.
func (q *Question) explanation(ctx context.Context) (*preemption.Plan, error) {
	if q.Evaluator == nil {
		return nil, errNoEvaluator
	}
	return q.Evaluator.Explain(ctx, q.Snapshot, q.Request)
}
