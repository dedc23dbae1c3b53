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

// Result is the exhaustive search with what it has found. It evaluates every node, as extenders and some
// explanations need. For all other questions the pruned search (package search) returns the same answers
// faster.
type Result struct {
	Attempt *Attempt
	// terms, snap and pod are the attempt's.
	terms *Terms
	snap  *state.Snapshot
	pod   *outrank.Pod

	Runners []*DryRunner // one for each worker
	Chunk   int          // number of nodes that a worker takes at a time

	// All lists are by position. Before has the answers of the nodes with all pods in place.
	Before []filters.Status
	// Tried marks the nodes that had a dry run, and After has the status of that dry run.
	Tried []bool
	After []filters.Status
	// scores has the scores of candidates.
	scores []Score
	// faults has the errors about invalid answers of a Chooser. It is nil without a Chooser.
	faults []error
	// candidates is nil unless all candidates are kept.
	candidates []preemption.Candidate

	Ineligible preemption.Ineligibility
	// Feasible is the number of nodes that take the pod without preemption, and FirstFit the position of the
	// first of them, which means something only if Feasible is above 0.
	Feasible int
	FirstFit int
	// Best is the position of the best candidate, -1 if there is none, and Chosen is that candidate.
	Best   int
	Chosen preemption.Candidate
	// Failed is the error of an extender that ended the search. No candidate is chosen then.
	Failed error
}

// NewResult prepares the search of an attempt with this many workers. It has no results yet.
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

// StatusOf returns the status in Before of a node by its name, and false if there is no such node.
func (r *Result) StatusOf(node string) (filters.Status, bool) {
	n := r.snap.NodeState(node)
	if n == nil || n.Node == nil {
		return filters.Status{}, false
	}
	return r.Before[slices.Index(r.snap.Order, n.Slot)], true
}

// CountFeasible sets Feasible and FirstFit from Before.
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

// better reports whether the candidate at position i is strictly better than that at position j.
func (r *Result) better(i, j int) bool {
	order, _ := r.compare(i, j)
	return order < 0
}

// compare compares the candidates at two positions by the ranks: order is negative if the first is better,
// and by names the rank that decides.
func (r *Result) compare(i, j int) (order int, by string) {
	if r.terms.Whole {
		return r.Attempt.Compare(&r.candidates[i].Score, &r.candidates[j].Score)
	}
	return r.Attempt.CompareFigures(&r.scores[i].Figures, &r.scores[j].Figures)
}

// triesPerLook is the number of nodes that a worker tries between two looks at the context.
const triesPerLook = 16

// each calls f once for every i below n, shared among the workers.
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
