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

// Result is what the exhaustive search finds, by position. The search evaluates
// every node. Extenders need that, and explanations about other filters or by
// other rules; to all other questions the pruned search returns the same answers
// (see search).
type Result struct {
	Attempt    *Attempt
	terms      *Terms // of the attempt, as the snapshot and the pod are
	snap       *state.Snapshot
	pod        *outrank.Pod
	Runners    []*DryRunner     // one per worker
	Chunk      int              // nodes that a worker takes at a time
	Before     []filters.Status // as things are
	After      []filters.Status // with all pods of lower priority removed; where tried
	Tried      []bool
	scores     []Score
	faults     []error                // answers of the caller's rule that make no sense; nil without one
	candidates []preemption.Candidate // by position; nil unless all are to be kept
	Ineligible preemption.Ineligibility
	Feasible   int
	FirstFit   int // the first position of a node that takes the pod, where there are any
	Best       int // -1 for none
	Chosen     preemption.Candidate
	// Failed is the error of an extender that ended the search; nobody is chosen then.
	Failed error
}

// NewResult begins the search of an attempt, which has found nothing yet, with so many workers.
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

func (r *Result) isCandidate(i int) bool { return r.Tried[i] && r.After[i].Code == filters.Success }

// StatusOf returns the status of a node by its name.
func (r *Result) StatusOf(node string) (filters.Status, bool) {
	slot, ok := r.snap.Slots.Get(node)
	if !ok || r.snap.NodeStates[slot].Node == nil {
		return filters.Status{}, false
	}
	return r.Before[slices.Index(r.snap.Order, slot)], true
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

// better compares two candidates. The caller goes by position, so equal
// candidates stay in the order of the nodes.
func (r *Result) better(i, j int) bool {
	order, _ := r.compare(i, j)
	return order < 0
}

// compare orders two candidates by their positions.
func (r *Result) compare(i, j int) (order int, by string) {
	if r.Attempt.Config.Whole {
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
