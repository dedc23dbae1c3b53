package joint

import (
	"context"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// BoundOf returns the bound for a request, as if a plan of this total were known, which the search
// for the plan has not touched.
func BoundOf(eval *engine.Evaluator, snap *engine.Snapshot, req Request, known func(oneByOne preemption.Score) preemption.Score) (preemption.Score, error) {
	r := &run{ctx: context.Background(), eval: eval, req: &req, pods: req.queued()}
	if err := r.begin(snap); err != nil {
		return preemption.Score{}, err
	}
	best := known(r.baseline().total)
	r.limit = 1_000_000
	m := r.model()
	rank, top := r.totals.first(best.TopPriority)
	return r.bound(m, r.relax(m, rank, top, best), best), r.err
}
