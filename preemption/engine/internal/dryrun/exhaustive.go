package dryrun

import (
	"context"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// DecideExhaustively answers a question. If everything is set, it evaluates
// candidates even if the pod fits or may not preempt, and keeps all of them.
func DecideExhaustively(ctx context.Context, config *Terms, snap *state.Snapshot, req *preemption.Request, everything bool) (*Result, error) {
	if err := CheckAlone(snap, req.Pod); err != nil {
		return nil, err
	}
	a := &Attempt{}
	if err := a.Start(ctx, config, snap, req); err != nil {
		return nil, err
	}
	r := NewResult(a, config.SharedWorkers())
	a.HearNominated(r.Runners[0])
	var err error
	if r.Before, err = r.FilterAll(ctx, req); err != nil {
		return nil, err
	}
	r.CountFeasible()
	r.Ineligible = a.Eligible(r.StatusOf)
	if !everything && (r.Feasible > 0 || r.Ineligible != "") {
		return r, nil
	}
	if err := r.decide(ctx, everything); err != nil {
		return nil, err
	}
	return r, ctx.Err()
}

// FilterAll asks every node, unless the caller gave the statuses.
func (r *Result) FilterAll(ctx context.Context, req *preemption.Request) ([]filters.Status, error) {
	if req.Statuses != nil {
		r.Attempt.Plan.Refused, r.Attempt.Elsewhere = filters.Status{}, true // the caller has gone beyond that
		return r.Attempt.givenStatuses(req.Statuses)
	}
	before := make([]filters.Status, len(r.snap.Order))
	err := r.each(ctx, len(before), func(w *DryRunner, i int) { before[i] = w.Filter(r.NodeAt(i)) })
	return before, err
}

// decide finds the candidates and chooses the best. It builds every Candidate
// if everything is set, or if the caller has a say in them.
func (r *Result) decide(ctx context.Context, everything bool) error {
	n := len(r.Before)
	r.After, r.Tried, r.scores = make([]filters.Status, n), make([]bool, n), make([]Score, n)
	config := r.terms
	if config.Chooser != nil {
		r.faults = make([]error, n)
	}
	if everything || len(config.Extenders) > 0 || config.Whole {
		r.candidates = make([]preemption.Candidate, n)
	}
	if err := r.try(ctx); err != nil {
		return err
	}
	if len(config.Extenders) > 0 {
		if r.Failed = r.extend(ctx, config.Extenders); r.Failed != nil {
			return r.Runners[0].Err
		}
	}
	r.completeAll()
	for i := range n {
		if i%comparesPerLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if r.isCandidate(i) && (r.Best < 0 || r.better(i, r.Best)) {
			r.Best = i
		}
	}
	r.completeBest(r.Runners[0])
	return r.Runners[0].Err
}

// comparesPerLook is how many candidates are compared between two looks at the context.
const comparesPerLook = 512

// completeBest builds the best Candidate if that was not done before.
func (r *Result) completeBest(w *DryRunner) {
	switch {
	case r.Best < 0:
	case r.candidates != nil:
		r.Chosen = r.candidates[r.Best]
	default:
		possible, s := w.DryRun(r.NodeAt(r.Best))
		if s.Code != filters.Success {
			w.Contradicted()
			return
		}
		r.Chosen = w.Candidate(possible)
		w.RestoreVictims(possible)
	}
}

// try makes dry runs on the nodes where preemption may help: on all of them, or
// from an offset on until a sample has found enough (group 10.1).
func (r *Result) try(ctx context.Context) error {
	var nodes []int
	for i, s := range r.Before {
		if s.Code == filters.Unschedulable {
			nodes = append(nodes, i)
		}
	}
	if r.terms.Sample == nil || len(nodes) == 0 {
		return r.tryEach(ctx, nodes)
	}
	start, enough := StartOf(r.Attempt.Offset, len(nodes)), EnoughOf(r.terms.Sample, len(nodes))
	nodes = append(nodes[start:], nodes[:start]...)
	violating, free := 0, 0
	for len(nodes) > 0 {
		// More at a time than are still wanted would mostly be for nothing.
		batch := nodes[:min(len(nodes), max(r.Chunk*len(r.Runners), enough-free-violating))]
		nodes = nodes[len(batch):]
		if err := r.tryEach(ctx, batch); err != nil {
			return err
		}
		for at, i := range batch {
			if !r.isCandidate(i) {
				continue
			}
			switch {
			case enough == 0:
				r.forget([]int{i}) // the list has no room at all (rule 10.1.5)
			case r.scores[i].Violations == 0:
				free++
			case violating < enough:
				violating++
			default:
				r.forget([]int{i}) // there is no room for it in the reference's list
			}
			if free > 0 && free+violating >= enough {
				r.forget(batch[at+1:])
				return nil
			}
		}
	}
	return nil
}

// forget drops what was found beyond the end of the sample.
func (r *Result) forget(nodes []int) {
	for _, i := range nodes {
		r.Tried[i], r.After[i], r.scores[i] = false, filters.Status{}, Score{}
		if r.candidates != nil {
			r.candidates[i] = preemption.Candidate{}
		}
	}
}

func (r *Result) tryEach(ctx context.Context, nodes []int) error {
	err := r.each(ctx, len(nodes), func(w *DryRunner, at int) {
		i := nodes[at]
		possible, s := w.DryRun(r.NodeAt(i))
		r.Tried[i], r.After[i] = true, s
		if s.Code == filters.Success {
			r.scores[i] = w.Score(possible)
			if r.candidates != nil {
				r.candidates[i] = w.Candidate(possible)
			}
		}
		w.RestoreVictims(possible)
		if w.Err != nil {
			r.faults[i], w.Err = w.Err, nil
		}
	})
	if err != nil || r.faults == nil {
		return err
	}
	for _, i := range nodes {
		if r.faults[i] != nil {
			return r.faults[i]
		}
	}
	return nil
}

// completeAll completes the score of every candidate.
func (r *Result) completeAll() {
	for i := range r.candidates {
		if r.isCandidate(i) {
			r.Attempt.Complete(&r.candidates[i])
		}
	}
}
