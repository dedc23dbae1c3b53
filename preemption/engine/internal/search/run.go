package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Start prepares a search for a question. The caller releases it.
func Start(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request) (*Search, error) {
	if err := dryrun.CheckAlone(snap, req.Pod); err != nil {
		return nil, err
	}
	s := Searches.Get().(*Search)
	s.chunk = cmp.Or(terms.Chunk, dryrun.ChunkSize)
	if err := s.Ask(ctx, terms, snap, req); err != nil {
		s.Busy = false
		s.Close()
		return nil, err
	}
	if req.Statuses != nil {
		s.Asked.takeStatuses(req)
	}
	return s, nil
}

// Ask prepares a search.
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
	s.Busy = false
	if err == nil {
		err = w.Dry.Err
	}
	if err == nil && terms.Exact {
		err = ctx.Err() // what a search that was ended says is of no use
	}
	if err != nil {
		return nil, err
	}
	return plan, nil
}

// decide chooses the way to the answer.
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
	if s.blocks.digests, s.blocks.whole, err = s.Asked.snap.Digests(ctx); err != nil {
		return err
	}
	switch {
	case s.Asked.given.any:
		return s.boundAllGiven(ctx)
	case s.refuseAll():
		s.blocks.spans = s.blocks.spans[:0]
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
	q.terms, q.plan, q.snap, q.sums = terms, &q.Attempt.Plan, snap, &snap.Summaries
	q.Rules = searchRulesOf(terms, snap.BudgetSet.List)
	if q.Rules.asks != asksNobody && q.everyStatus() {
		q.Rules.asks = asksEach
	}
	q.takeTables()
	if err := q.Attempt.Start(ctx, terms, snap, req); err != nil {
		return err
	}

	q.need = needOf(&q.Attempt, q.sums)
	if !q.Rules.general {
		q.need.bounded = state.HasUnits
	}
	if q.keeps = q.mayKeep(req); q.keeps {
		q.counted, q.keeps = q.plan.Keeps()
	}
	if q.keeps {
		q.WriteSignature()
	}
	return nil
}

// settle completes the question: it reads the statuses that the caller gave, and asks whether the
// preemptor may preempt, which may depend on what a worker hears of the node it is nominated to.
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

// mayKeep reports whether answers are known by the signature of the preemptor, as far as filters have
// no say: those of the default rules, to a question that is about every node.
func (q *Asked) mayKeep(req *preemption.Request) bool {
	return !q.Rules.general && !q.terms.Whole && req.Statuses == nil &&
		!q.need.anyPod && q.sums.Large == 0 && len(q.snap.Order) > 1
}

// release drops everything that belongs to the caller.
func (q *Asked) release() {
	q.tables.release()
	q.given.release()
	q.Attempt.Release()
	q.terms, q.plan, q.snap, q.sums, q.Rules = nil, nil, nil, nil, searchRules{}
	q.ineligible, q.refusedBy, q.keeps = "", preemption.Status{}, false
}

// refusedPlan is the answer to an attempt that ends before the first node.
func (s *Search) refusedPlan() *preemption.Plan {
	if n := len(s.Bounds); n > 0 {
		before := &s.Workers[0].before
		before.count(before.intern(s.Asked.plan.Refused), n)
	}
	plan := s.beginPlan()
	if plan.Outcome == preemption.Preempts {
		s.finishPlan(plan, NodeScore{Position: -1})
	}
	return plan
}
