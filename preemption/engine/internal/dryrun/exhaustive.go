package dryrun

import (
	"context"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// DecideExhaustively answers a question by evaluating every node. If everything is set, it finds candidates
// even if the pod fits or may not preempt, and keeps all of them.
func DecideExhaustively(ctx context.Context, config *Terms, snap *state.Snapshot, req *preemption.Request, everything bool) (*Result, error) {
	if err := CheckAlone(snap, req.Pod); err != nil {
		return nil, err
	}
	a := &Attempt{}
	if err := a.Start(ctx, config, snap, req); err != nil {
		return nil, err
	}

	r := NewResult(a, config.SharedWorkers())
	a.HearNominated(r.Runners[0]) // first, because its answer can change the others'
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

// FilterAll returns the status of every node: from the caller if it gave them, otherwise from the filters.
func (r *Result) FilterAll(ctx context.Context, req *preemption.Request) ([]filters.Status, error) {
	if a := r.Attempt; req.Statuses != nil {
		// If a filter had refused the pod before the first node, there would be no statuses to give. So a
		// refusal here is ignored.
		a.Plan.Refused, a.Elsewhere = filters.Status{}, true
		return a.givenStatuses(req.Statuses)
	}
	before := make([]filters.Status, len(r.snap.Order))
	err := r.each(ctx, len(before), func(w *DryRunner, i int) { before[i] = w.Filter(r.NodeAt(i)) })
	return before, err
}

// decide finds the candidates and chooses the best. It builds every Candidate if everything is set, if there
// are extenders, or if a rank compares whole candidates.
func (r *Result) decide(ctx context.Context, everything bool) error {
	r.makeLists(everything)
	if err := r.try(ctx); err != nil {
		return err
	}

	if extenders := r.terms.Extenders; len(extenders) > 0 {
		if r.Failed = r.extend(ctx, extenders); r.Failed != nil {
			return r.Runners[0].Err
		}
	}
	r.completeAll()

	// Candidates are compared in the order of the nodes, so that the first of equals wins.
	for i := range r.Before {
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

// makeLists allocates the lists of results, by position.
func (r *Result) makeLists(everything bool) {
	n, terms := len(r.Before), r.terms
	r.After = make([]filters.Status, n)
	r.Tried = make([]bool, n)
	r.scores = make([]Score, n)
	if terms.Chooser != nil {
		r.faults = make([]error, n)
	}
	if everything || len(terms.Extenders) > 0 || terms.Whole {
		r.candidates = make([]preemption.Candidate, n)
	}
}

// comparesPerLook is the number of comparisons between two looks at the context.
const comparesPerLook = 512

// completeBest builds the best Candidate by a second dry run, unless all have been built. If that finds no
// victims, something that the caller configured contradicts itself.
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

// try makes dry runs on the nodes where preemption may help: on all of them or, with a sample, from the
// offset on until enough candidates are found (group 10.1).
func (r *Result) try(ctx context.Context) error {
	var nodes []int
	for i, s := range r.Before {
		if s.Code == filters.Unschedulable {
			nodes = append(nodes, i)
		}
	}
	sample := r.terms.Sample
	if sample == nil || len(nodes) == 0 {
		return r.tryEach(ctx, nodes)
	}

	start := StartOf(r.Attempt.Offset, len(nodes))
	nodes = append(nodes[start:], nodes[:start]...)
	return r.trySample(ctx, nodes, EnoughOf(sample, len(nodes)))
}

// trySample tries nodes in this order until enough of them are candidates. Results behind the end of the
// sample are dropped, because the size of a batch must not change the answer.
func (r *Result) trySample(ctx context.Context, nodes []int, enough int) error {
	found := sampled{enough: enough}
	for len(nodes) > 0 {
		// A batch larger than the number of candidates still wanted would mostly be wasted.
		batch := nodes[:min(len(nodes), max(r.Chunk*len(r.Runners), enough-found.free-found.violating))]
		nodes = nodes[len(batch):]
		if err := r.tryEach(ctx, batch); err != nil {
			return err
		}

		for at, i := range batch {
			if !r.isCandidate(i) {
				continue
			}
			if !found.keeps(r.scores[i].Violations) {
				r.forget([]int{i})
			}
			if found.ends() {
				r.forget(batch[at+1:])
				return nil
			}
		}
	}
	return nil
}

// forget drops the results on nodes that are not part of the sample.
func (r *Result) forget(nodes []int) {
	for _, i := range nodes {
		r.Tried[i], r.After[i], r.scores[i] = false, filters.Status{}, Score{}
		if r.candidates != nil {
			r.candidates[i] = preemption.Candidate{}
		}
	}
}

// tryEach makes dry runs on these nodes.
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

		// A fault is recorded by position and the runner goes on, because which fault is returned must not
		// depend on the distribution of nodes among workers.
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

// completeAll completes the scores of all candidates, if they are kept.
func (r *Result) completeAll() {
	for i := range r.candidates {
		if r.isCandidate(i) {
			r.Attempt.Complete(&r.candidates[i])
		}
	}
}
