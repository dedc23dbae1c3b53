package preemption

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// result is what the exhaustive search finds, by position. The search evaluates
// every node. Extenders need that, and explanations about other filters or by
// other rules; to all other questions the pruned search returns the same answers
// (see search).
type result struct {
	*attempt
	runners    []*dryRunner     // one per worker
	chunk      int              // nodes that a worker takes at a time
	before     []filters.Status // as things are
	after      []filters.Status // with all pods of lower priority removed; where tried
	tried      []bool
	scores     []decision.Score
	faults     []error              // answers of the caller's rule that make no sense; nil without one
	candidates []decision.Candidate // by position; nil unless all are to be kept
	ineligible decision.Ineligibility
	feasible   int
	best       int // -1 for none
	chosen     decision.Candidate
	// failed is the error of an extender that ended the search; nobody is chosen then.
	failed error
}

// decideExhaustively answers a question. If everything is set, it evaluates
// candidates even if the pod fits or may not preempt, and keeps all of them.
func decideExhaustively(ctx context.Context, config *Config, chunk int, snap *state.Snapshot, req *Request, everything bool) (*result, error) {
	if err := checkAlone(snap, req.Pod); err != nil {
		return nil, err
	}
	a, err := newAttempt(config, snap, req.Pod, req.Now)
	if err != nil {
		return nil, err
	}
	r := &result{attempt: a, chunk: chunk, best: -1}
	for range max(1, config.Workers) {
		r.runners = append(r.runners, newDryRunner(a))
	}
	a.hearNominated(r.runners[0])
	if r.before, err = r.filterAll(ctx, req); err != nil {
		return nil, err
	}
	for _, s := range r.before {
		if s.Code == decision.Success {
			r.feasible++
		}
	}
	r.ineligible = a.eligible(r.statusOf)
	if !everything && (r.feasible > 0 || r.ineligible != decision.Eligible) {
		return r, nil
	}
	if err := r.decide(ctx, everything); err != nil {
		return nil, err
	}
	return r, nil
}

// each calls f once for every i below n.
func (r *result) each(ctx context.Context, n int, f func(w *dryRunner, i int)) error {
	workers := min(len(r.runners), 1+n/r.chunk)
	return inChunks(ctx, workers, n, r.chunk, func(worker, from, to int) {
		for i := from; i < to; i++ {
			f(r.runners[worker], i)
		}
	})
}

// filterAll asks every node, unless the caller gave the statuses.
func (r *result) filterAll(ctx context.Context, req *Request) ([]filters.Status, error) {
	if req.hasStatuses() {
		if err := req.checkStatuses(r.Snap); err != nil {
			return nil, err
		}
		r.Refused, r.elsewhere = filters.Status{}, true // the caller has gone beyond that
		return req.givenStatuses(r.config, r.Snap)
	}
	before := make([]filters.Status, len(r.Snap.Order))
	err := r.each(ctx, len(before), func(w *dryRunner, i int) { before[i] = w.filter(r.nodeAt(i)) })
	return before, err
}

// statusOf returns the status of a node by its name.
func (r *result) statusOf(node string) (filters.Status, bool) {
	slot, ok := r.Snap.Slots.Get(node)
	if !ok || r.Snap.NodeStates[slot].Node == nil {
		return filters.Status{}, false
	}
	return r.before[slices.Index(r.Snap.Order, slot)], true
}

// decide finds the candidates and chooses the best. It builds every Candidate
// if everything is set, or if the caller has a say in them.
func (r *result) decide(ctx context.Context, everything bool) error {
	n := len(r.before)
	r.after, r.tried, r.scores = make([]filters.Status, n), make([]bool, n), make([]decision.Score, n)
	config := r.config
	if config.Chooser != nil {
		r.faults = make([]error, n)
	}
	if everything || len(config.Extenders) > 0 || len(config.Scorers) > 0 {
		r.candidates = make([]decision.Candidate, n)
	}
	if err := r.try(ctx); err != nil {
		return err
	}
	if len(config.Extenders) > 0 {
		if r.failed = r.extend(ctx, config.Extenders); r.failed != nil {
			return r.runners[0].err
		}
	}
	r.scoreByCaller()
	for i := range n {
		if r.isCandidate(i) && (r.best < 0 || r.better(i, r.best)) {
			r.best = i
		}
	}
	r.completeBest(r.runners[0])
	return r.runners[0].err
}

// completeBest builds the best Candidate if that was not done before.
func (r *result) completeBest(w *dryRunner) {
	switch {
	case r.best < 0:
	case r.candidates != nil:
		r.chosen = r.candidates[r.best]
	default:
		possible, s := w.dryRun(r.nodeAt(r.best))
		if s.Code != decision.Success {
			w.contradicted()
			return
		}
		r.chosen = w.candidate(possible)
		w.restoreVictims(possible)
	}
}

// try makes dry runs on the nodes where preemption may help: on all of them, or
// from an offset on until a sample has found enough (group 10.1).
func (r *result) try(ctx context.Context) error {
	var nodes []int
	for i, s := range r.before {
		if s.Code == decision.Unschedulable {
			nodes = append(nodes, i)
		}
	}
	if r.config.Sample == nil || len(nodes) == 0 {
		return r.tryEach(ctx, nodes)
	}
	start, enough := r.config.Sample.start(len(nodes), r.Pod.Key()), r.config.Sample.enough(len(nodes))
	nodes = append(nodes[start:], nodes[:start]...)
	violating, free := 0, 0
	for len(nodes) > 0 {
		// More at a time than are still wanted would mostly be for nothing.
		batch := nodes[:min(len(nodes), max(r.chunk*len(r.runners), enough-free-violating))]
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
func (r *result) forget(nodes []int) {
	for _, i := range nodes {
		r.tried[i], r.after[i], r.scores[i] = false, filters.Status{}, decision.Score{}
		if r.candidates != nil {
			r.candidates[i] = decision.Candidate{}
		}
	}
}

func (r *result) tryEach(ctx context.Context, nodes []int) error {
	err := r.each(ctx, len(nodes), func(w *dryRunner, at int) {
		i := nodes[at]
		possible, s := w.dryRun(r.nodeAt(i))
		r.tried[i], r.after[i] = true, s
		if s.Code == decision.Success {
			r.scores[i] = w.score(possible)
			if r.candidates != nil {
				r.candidates[i] = w.candidate(possible)
			}
		}
		w.restoreVictims(possible)
		if w.err != nil {
			r.faults[i], w.err = w.err, nil
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

// scoreByCaller asks the caller's scorers about every candidate.
func (r *result) scoreByCaller() {
	for i := range r.candidates {
		if !r.isCandidate(i) {
			continue
		}
		c := &r.candidates[i]
		for _, x := range r.config.Scorers {
			c.OwnScores = append(c.OwnScores, x.Score(c))
		}
	}
}

func (r *result) nodeAt(i int) *state.NodeState { return r.Snap.NodeStates[r.Snap.Order[i]] }

func (r *result) isCandidate(i int) bool { return r.tried[i] && r.after[i].Code == decision.Success }

// better compares two candidates. The caller goes by position, so equal
// candidates stay in the order of the nodes.
func (r *result) better(i, j int) bool {
	order, _ := r.compare(i, j)
	return order < 0
}

// compare orders two candidates by their positions.
func (r *result) compare(i, j int) (int, decision.Rank) {
	return r.compareStandings(r.standing(i), r.standing(j))
}

func (r *result) standing(i int) standing {
	st := standing{score: &r.scores[i]}
	if r.candidates != nil {
		st.ownScores = r.candidates[i].OwnScores
	}
	return st
}
