package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Start prepares a search for a question, with the statuses that the request may give. The caller must close
// the search.
func Start(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request) (*Search, error) {
	if err := dryrun.CheckAlone(snap, req.Pod); err != nil {
		return nil, err
	}

	s := Searches.Get().(*Search)
	s.chunk = cmp.Or(terms.Chunk, dryrun.ChunkSize)
	if err := s.Ask(ctx, terms, snap, req); err != nil {
		// No code of the caller is running after an error, so that the search may be reused.
		s.Busy = false
		s.Close()
		return nil, err
	}
	if req.Statuses != nil {
		s.Asked.takeStatuses(req)
	}
	return s, nil
}

// Ask prepares the question, memory for the bounds of all nodes, and the workers.
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
		workers = 1 // the first node with an impossible answer must be the same in every run
	}
	s.prepareWorkers(workers)

	// The nominated node is asked before all others (rule 7.15.5). Its answer may change the plan of filters.
	q.Attempt.HearNominated(&s.Workers[0].Dry)
	return nil
}

// prepareWorkers makes this many workers ready, and reuses those of earlier calls.
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

// Close drops all references to the caller's data. It keeps the search for later calls unless a panic has
// left it busy.
func (s *Search) Close() {
	// An earlier call may have had more workers; those beyond the end are kept as well.
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

// Decide answers a question with a search.
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
	s.Busy = false // no code of the caller runs from here on

	// Only the first worker can have an error: it completes the plan, and with a caller's chooser there is
	// only one worker.
	if err == nil {
		err = w.Dry.Err
	}
	// When the context ends, a search for exact victims returns what it has found so far, which must not be
	// used.
	if err == nil && terms.Exact {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return plan, nil
}

// decide chooses the way to the answer: from the cache if it may be used, or by a search that fits the rules.
func (s *Search) decide(ctx context.Context) (*preemption.Plan, error) {
	switch q := &s.Asked; {
	case q.refused():
		return s.refusedPlan(), nil
	case q.terms.Whole:
		return s.runWhole(ctx)
	case q.Rules.general:
		return s.runGeneral(ctx)
	}

	known := s.known()
	if known != nil {
		if plan, err := s.answerFromCache(ctx, known); plan != nil || err != nil {
			return plan, err
		}
		s.Workers[0].Reset() // it has the answers that the entry counts
	}
	plan, err := s.run(ctx)
	if err == nil && s.Asked.keeps {
		err = s.remember(ctx, known)
	}
	return plan, err
}

// run decides by the default rules: one round bounds the nodes, the next ones evaluate those that may win.
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

// boundAll counts the answer of every node, and bounds the candidates.
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

// boundAllGiven is boundAll if the caller gave the statuses.
func (s *Search) boundAllGiven(ctx context.Context) error {
	s.beginBlocks()
	if err := s.each(ctx, (*Worker).boundGiven); err != nil {
		return err
	}
	s.openGiven()
	return nil
}

// begin prepares a question in the memory of an earlier one.
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

	// The bounds of a node whose pods name groups are proved only for the orders of the default rules
	// (ENGINE.md, Units).
	q.need = needOf(&q.Attempt, q.sums)
	if !q.Rules.general {
		q.need.bounded = state.HasUnits
	}

	// The filters decide last whether answers may be kept.
	if q.keeps = q.mayKeep(req); q.keeps {
		q.counted, q.keeps = q.plan.Keeps()
	}
	if q.keeps {
		q.WriteSignature()
	}
	return nil
}

// settle completes the question: it reads the statuses that the caller gives, and finds out whether the
// preemptor may preempt. That may depend on the status of its nominated node, which w asks for (rule 8.3).
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

// mayKeep reports whether the answers to a question may be kept by the signature of the preemptor, apart from
// what the filters say. Answers are kept only by the default rules, if the question is about every node. For a single
// node the cache is not worth it.
func (q *Asked) mayKeep(req *preemption.Request) bool {
	return !q.Rules.general && !q.terms.Whole && req.Statuses == nil &&
		!q.Attempt.Asked.Deferral.Asked && q.sums.Large == 0 && len(q.snap.Order) > 1
}

// release drops all references to the caller's data.
func (q *Asked) release() {
	q.tables.release()
	q.given.release()
	q.Attempt.Release()

	q.terms, q.plan = nil, nil
	q.snap, q.sums = nil, nil
	q.Rules, q.keeps = searchRules{}, false
	q.ineligible, q.refusedBy = "", preemption.Status{}
}

// refusedPlan returns the plan if a filter refuses the pod before the first node: every node has that
// filter's status (rule 7.15.4).
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
