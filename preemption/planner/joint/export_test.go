package joint

import (
	"context"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// BoundOf returns the bound for a request, as if a plan with the known total had been found. No search for a plan
// runs before it.
func BoundOf(eval *engine.Evaluator, snap *engine.Snapshot, req Request, known func(oneByOne preemption.Score) preemption.Score) (preemption.Score, error) {
	r := &run{ctx: context.Background(), eval: eval, req: &req, pods: req.queued()}
	if err := r.begin(snap); err != nil {
		return preemption.Score{}, err
	}
	told := known(r.totals.score(r.findBaseline().total))
	best := total{
		Figures: rank.Figures{Violations: told.Violations, Top: told.TopPriority, Victims: int32(told.Victims), Sum: told.PrioritySum, Start: rank.InstantOf(told.Start), Cost: told.Own[r.totals.costs]},
		start:   told.Start, moves: told.Own[byMoves.name],
	}
	r.limit = 1_000_000
	m := r.model()
	by, top := r.totals.firstSum(best.Top)
	return r.totals.score(r.bound(m, r.relax(m, by, top, best), best)), r.err
}
