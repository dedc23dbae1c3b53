package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Start prepares a search for a question, with the statuses that the caller gives. The caller of Start
// closes the search.
func Start(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request) (*Search, error) {
	if err := dryrun.CheckAlone(snap, req.Pod); err != nil {
		return nil, err
	}

	s := Searches.Get().(*Search)
	s.chunk = cmp.Or(terms.Chunk, dryrun.ChunkSize)
	if err := s.Ask(ctx, terms, snap, req); err != nil {
		// An error is an orderly end, so that the search may be used again.
		s.Busy = false
		s.Close()
		return nil, err
	}
	if req.Statuses != nil {
		s.Asked.takeStatuses(req)
	}
	return s, nil
}

// Ask prepares a search: the question, memory for the bounds of all nodes, and the workers.
func (s *Search) Ask(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request) error {
	s.Busy = true
	q := &s.Asked
	if err := q.begin(ctx, terms, snap, req); err != nil {
		return err
	}

	nodes := len(snap.Order)
	if q.everyStatus() {
		s.tries.marked = slices.Grow(s.tries.marked[:0], nodes)[:nodes]
	}
	if cap(s.Bounds) < nodes {
		s.Bounds = make([]NodeBound, nodes)
	} else {
		s.Bounds = s.Bounds[:nodes]
	}

	workers := terms.SharedWorkers()
	if terms.Chooser != nil {
		workers = 1 // so that the same node is the first with a senseless answer
	}
	s.prepareWorkers(workers)

	// The nominated node is asked before all others (rule 7.15.5), and the plan of filters may change by it.
	q.Attempt.HearNominated(&s.Workers[0].Dry)
	return nil
}

// prepareWorkers reuses the workers of earlier calls.
func (s *Search) prepareWorkers(workers int) {
	s.incumbent.reset()
	s.Workers = slices.Grow(s.Workers[:0], workers)[:workers]
	for i, w := range s.Workers {
		if w == nil {
			w = &Worker{}
			s.Workers[i] = w
		}
		w.begin(s)
	}
}

// Close drops everything that belongs to the caller, and keeps a search whose work
// has returned for later calls.
func (s *Search) Close() {
	// An earlier call may have had more workers than this one; those beyond the end are kept as well.
	s.Workers = s.Workers[:cap(s.Workers)]
	for _, w := range s.Workers {
		if w != nil {
			w.release()
		}
	}
	clear(s.tally)
	s.Asked.release()
	s.blocks.release()

	if !s.Busy {
		Searches.Put(s)
	}
}

// Decide answers a question by a search.
func Decide(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request) (*preemption.Plan, error) {
	s, err := Start(ctx, terms, snap, req)
	if err != nil {
		return nil, err
	}
	defer s.Close()

	w := s.Workers[0]
	var plan *preemption.Plan
	if err = s.Asked.settle(w); err == nil {
		plan, err = s.decide(ctx)
	}
	s.Busy = false // no code of the caller is called from here on

	// Only the first worker can have an error of its own: it completes the plan, and a rule of the caller
	// that chooses victims is asked by a single worker.
	if err == nil {
		err = w.Dry.Err
	}
	// A search for exact victims that the context ended returns what it has found so far, which is of no use.
	if err == nil && terms.Exact {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return plan, nil
}

// decide chooses the way to the answer: the cache of answers where it may be used, or a search by the
// rules that hold.
func (s *Search) decide(ctx context.Context) (*preemption.Plan, error) {
	switch q := &s.Asked; {
	case q.refused():
		return s.refusedPlan(), nil
	case q.terms.Whole:
		return s.runWhole(ctx)
	case q.Rules.general:
		return s.runGeneral(ctx)
	}

	if known := s.known(); known != nil {
		return s.answerFromCache(ctx, known)
	}
	return s.run(ctx)
}

// run decides by the default rules: one round bounds the nodes, the next ones evaluate those
// that may be the best.
func (s *Search) run(ctx context.Context) (*preemption.Plan, error) {
	if err := s.boundAll(ctx); err != nil {
		return nil, err
	}
	plan := s.beginPlan()
	if plan.Outcome != preemption.Preempts {
		return plan, nil
	}

	best, err := s.chooseBest(ctx)
	if err != nil {
		return nil, err
	}
	s.finishPlan(plan, best)
	return plan, nil
}

// boundAll finds what every node answers, and bounds the candidates.
func (s *Search) boundAll(ctx context.Context) (err error) {
	q, blocks := &s.Asked, &s.blocks
	if blocks.digests, blocks.whole, err = q.snap.Digests(ctx); err != nil {
		return err
	}
	switch {
	case q.given.any:
		return s.boundAllGiven(ctx)
	case s.refuseAll():
		blocks.spans = blocks.spans[:0]
		return ctx.Err()
	}

	s.beginBlocks()
	s.askFirst()
	return s.eachSpan(ctx, (*Worker).boundSpan)
}

// boundAllGiven is boundAll where the caller has said what the nodes answer.
func (s *Search) boundAllGiven(ctx context.Context) error {
	s.beginBlocks()
	if err := s.each(ctx, (*Worker).boundGiven); err != nil {
		return err
	}
	s.openGiven()
	return nil
}

// begin prepares a question. It reuses the memory of an earlier one.
func (q *Asked) begin(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request) error {
	q.terms, q.plan = terms, &q.Attempt.Plan
	q.snap, q.sums = snap, &snap.Summaries
	q.Rules = searchRulesOf(terms, snap.BudgetSet.List)
	if q.Rules.asks != asksNobody && q.everyStatus() {
		q.Rules.asks = asksEach
	}
	q.takeTables()
	if err := q.Attempt.Start(ctx, terms, snap, req); err != nil {
		return err
	}

	// The bounds of a node whose pods name groups are proved for the orders of the default rules alone
	// (ENGINE.md, Units).
	q.need = needOf(&q.Attempt, q.sums)
	if !q.Rules.general {
		q.need.bounded = state.HasUnits
	}

	// The filters have the last word on whether answers are kept.
	if q.keeps = q.mayKeep(req); q.keeps {
		q.counted, q.keeps = q.plan.Keeps()
	}
	if q.keeps {
		q.WriteSignature()
	}
	return nil
}

// settle completes the question: it reads the statuses that the caller gives, and finds out whether the
// preemptor may preempt. That may depend on the status of the node that it is nominated to, which the
// worker asks (rule 8.3).
func (q *Asked) settle(w *Worker) error {
	if q.given.any {
		if err := q.readGiven(); err != nil {
			return err
		}
	}
	q.ineligible = q.Attempt.Eligible(w.statusOfNode)
	q.refusedBy = q.Attempt.Public(q.plan.Refused)
	return nil
}

// mayKeep reports whether the snapshot may keep the answers to a question by the signature of the
// preemptor, as far as filters have no say. It keeps answers by the default rules alone, where the
// question is about every node, and the columns and the summaries tell all that is asked of resources.
// A single node is asked as quickly without.
func (q *Asked) mayKeep(req *preemption.Request) bool {
	return !q.Rules.general && !q.terms.Whole && req.Statuses == nil &&
		!q.need.anyPod && q.sums.Large == 0 && len(q.snap.Order) > 1
}

// release drops everything that belongs to the caller.
func (q *Asked) release() {
	q.tables.release()
	q.given.release()
	q.Attempt.Release()

	q.terms, q.plan = nil, nil
	q.snap, q.sums = nil, nil
	q.Rules, q.keeps = searchRules{}, false
	q.ineligible, q.refusedBy = "", preemption.Status{}
}

// refusedPlan returns the plan of an attempt that ends before the first node: every node has the status
// of the filter that refused the pod (rule 7.15.4).
func (s *Search) refusedPlan() *preemption.Plan {
	q := &s.Asked
	if n := len(s.Bounds); n > 0 {
		before := &s.Workers[0].before
		before.count(before.intern(q.plan.Refused), n)
	}

	plan := s.beginPlan()
	if plan.Outcome == preemption.Preempts {
		s.finishPlan(plan, NodeScore{Position: -1})
	}
	return plan
}
