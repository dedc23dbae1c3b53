package engine

import (
	"context"
	"iter"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/search"
)

// ExplainNode returns the report of one node: its status and, if preemption may help there, its status with
// the possible victims removed and the candidate that it is, if any. Extenders are not asked, and a Sample
// does not matter. The errors are those of [Evaluator.Preempt], and [preemption.ErrNotFound] for a node that
// is not in the snapshot. Time is that of one dry run on this node; rules about other nodes' pods, such as
// affinity, cost the same as in [Evaluator.Preempt]. The candidate is the caller's. Calls may run at once.
func (e *Evaluator) ExplainNode(ctx context.Context, cluster *Snapshot, req preemption.Request, node string) (preemption.NodeReport, error) {
	if e == nil {
		return preemption.NodeReport{}, errNoEvaluator
	}
	snap, err := opened(ctx, cluster)
	if err != nil {
		return preemption.NodeReport{}, err
	}
	return search.ExplainNode(ctx, &e.terms, snap, &req, node)
}

// Candidates iterates over the candidates of [preemption.Plan].Candidates in their order, the best first,
// even if the pod fits or may not preempt. The victims of a candidate are found when its turn comes, so that
// the best few cost little more than the plan. After an error, which is one of [Evaluator.Preempt], the
// iteration ends. A candidate is the caller's.
//
// A Sample, Extenders, or a Rank with a Figure or a second Cost need all candidates before the first one is
// known. The first then costs as much as [Evaluator.Explain]. The snapshot must not change during
// the iteration; other calls may read it at the same time.
func (e *Evaluator) Candidates(ctx context.Context, cluster *Snapshot, req preemption.Request) iter.Seq2[*preemption.Candidate, error] {
	return func(yield func(*preemption.Candidate, error) bool) {
		if !search.Prunes(&e.terms, &req) || e.terms.Sample != nil || e.terms.Whole {
			e.candidatesOfAll(ctx, cluster, req, yield)
			return
		}
		snap, err := opened(ctx, cluster)
		if err != nil {
			yield(nil, err)
			return
		}

		search.Candidates(ctx, &e.terms, snap, &req, yield)
	}
}

// candidatesOfAll iterates over the candidates of an explanation.
func (e *Evaluator) candidatesOfAll(ctx context.Context, cluster *Snapshot, req preemption.Request, yield func(*preemption.Candidate, error) bool) {
	plan, err := e.Explain(ctx, cluster, req)
	if err != nil {
		yield(nil, err)
		return
	}
	for i := range plan.Candidates {
		if !yield(&plan.Candidates[i], nil) {
			return
		}
	}
}
