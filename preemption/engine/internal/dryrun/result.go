package dryrun

import (
	"cmp"
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Result is what the exhaustive search finds. The search evaluates every node, as extenders need,
// and explanations about other filters or by other rules. To all other questions the pruned search
// returns the same answers (package search).
type Result struct {
	Attempt *Attempt
	// terms, snap and pod are those of the attempt.
	terms *Terms
	snap  *state.Snapshot
	pod   *outrank.Pod

	Runners []*DryRunner // one for each worker
	Chunk   int          // nodes that a worker takes at a time

	// The lists are by position. Before has what the nodes answer as things are.
	Before []filters.Status
	// Tried marks the nodes with a dry run, and After has what they answered with all possible
	// victims removed.
	Tried []bool
	After []filters.Status
	// scores has the scores of candidates.
	scores []Score
	// faults has answers of a Chooser that make no sense; nil without a Chooser.
	faults []error
	// candidates is nil unless all candidates are kept.
	candidates []preemption.Candidate

	Ineligible preemption.Ineligibility
	// Feasible counts the nodes that take the pod, and FirstFit is the position of the first of them.
	Feasible int
	FirstFit int
	// Best is the position of the best candidate, -1 for none, and Chosen that candidate.
	Best   int
	Chosen preemption.Candidate
	// Failed is the error of an extender that ended the search. Nothing is chosen then.
	Failed error
}

// NewResult begins the search of an attempt by this many workers. It has found nothing yet.
func NewResult(a *Attempt, workers int) *Result {
	r := &Result{Attempt: a, terms: a.Config, snap: a.Snap, pod: a.Pod, Chunk: cmp.Or(a.Config.Chunk, ChunkSize), Best: -1}
	for range workers {
		r.Runners = append(r.Runners, NewDryRunner(a))
	}
	return r
}

// NodeAt returns the node at a position.
func (r *Result) NodeAt(i int) *state.NodeState {
	return r.snap.NodeStates[r.snap.Order[i]]
}

// isCandidate reports whether the node at a position is a candidate.
func (r *Result) isCandidate(i int) bool { return r.Tried[i] && r.After[i].Code == filters.Success }

// StatusOf returns the status of a node by its name.
func (r *Result) StatusOf(node string) (filters.Status, bool) {
	n := r.snap.NodeState(node)
	if n == nil || n.Node == nil {
		return filters.Status{}, false
	}
	return r.Before[slices.Index(r.snap.Order, n.Slot)], true
}

// CountFeasible counts the nodes that take the pod as things are.
func (r *Result) CountFeasible() {
	for i, s := range r.Before {
		if s.Code != filters.Success {
			continue
		}
		if r.Feasible == 0 {
			r.FirstFit = i
		}
		r.Feasible++
	}
}

// better reports whether the candidate at position i is better than the candidate at position j.
// Equal candidates are not better than one another.
func (r *Result) better(i, j int) bool {
	order, _ := r.compare(i, j)
	return order < 0
}

// compare orders two candidates by their positions.
func (r *Result) compare(i, j int) (order int, by string) {
	if r.terms.Whole {
		return r.Attempt.Compare(&r.candidates[i].Score, &r.candidates[j].Score)
	}
	return r.Attempt.CompareFigures(&r.scores[i].Figures, &r.scores[j].Figures)
}

// triesPerLook is how many nodes a worker tries between two looks at the context.
const triesPerLook = 16

// each calls f once for every i below n.
func (r *Result) each(ctx context.Context, n int, f func(w *DryRunner, i int)) error {
	workers := min(len(r.Runners), 1+n/r.Chunk)
	return InChunks(ctx, workers, n, r.Chunk, func(worker, from, to int) {
		for i := from; i < to; i++ {
			if (i-from)%triesPerLook == triesPerLook-1 && ctx.Err() != nil {
				return
			}
			f(r.Runners[worker], i)
		}
	})
}
