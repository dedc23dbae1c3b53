package search

import (
	"context"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// runGeneral decides by other rules than the default ones. One round bounds all nodes, and evaluates on the
// way those whose optimistic score is the best so far. The remaining nodes follow in the order of their
// optimistic scores, until none beats the incumbent.
func (s *Search) runGeneral(ctx context.Context) (*preemption.Plan, error) {
	q := &s.Asked
	q.Rules.NoteTight(q.snap.BudgetSet)

	// For a preemptor that may not preempt the plan has only the nodes' answers.
	q.need.onlyCount = q.ineligible != ""
	if err := s.each(ctx, s.firstRound()); err != nil {
		return nil, err
	}
	plan := s.beginPlan()
	if plan.Outcome != preemption.Preempts {
		return plan, nil
	}

	// One worker tries the sample in its own order, because each result decides whether the next node is
	// tried.
	if q.terms.Sample != nil {
		if err := s.trySample(ctx, s.Workers[0].tryForSample); err != nil {
			return nil, err
		}
	}
	s.gather()
	if err := s.evaluateBestFirst(ctx); err != nil {
		return nil, err
	}

	// The bounds assume that the caller spares no pod. If it spares so many that nothing helps, the counted
	// answers of the nodes are wrong.
	best := s.Workers[0].Best
	if q.Rules.asks == asksFound && best.Position < 0 {
		return s.runExactly(ctx)
	}
	s.finishPlan(plan, best)
	return plan, nil
}

// runExactly decides once more and asks the caller about every possible victim, so that each node gets its
// true answer.
func (s *Search) runExactly(ctx context.Context) (*preemption.Plan, error) {
	q := &s.Asked
	q.Rules.asks = asksEach
	for _, w := range s.Workers {
		w.Reset()
	}
	return s.runGeneral(ctx)
}

// firstRound returns the round after which the answer of every node is known. For a sample it does not
// consider the candidates.
func (s *Search) firstRound() func(w *Worker, from, to int) {
	q := &s.Asked
	switch sample := q.terms.Sample != nil; {
	case q.given.any && sample:
		return (*Worker).noteGiven
	case q.given.any:
		return (*Worker).boundGiven
	case sample:
		return (*Worker).filterNodes
	}
	return (*Worker).boundGeneral
}

// boundGeneral is BoundNodes for other rules than the default ones. It considers the candidates of a few
// nodes at a time, while their summaries are in the processor's cache.
func (w *Worker) boundGeneral(from, to int) {
	for ; from < to; from += state.SummaryBlockSize {
		end := min(from+state.SummaryBlockSize, to)
		w.BoundNodes(from, end)

		// Once a node takes the preemptor, the outcome is known, and the other nodes are only counted.
		w.fitsSomewhere = w.before.usual[0] > 0
		if w.fitsSomewhere || w.need.onlyCount {
			continue // no candidate is wanted
		}
		w.considerChunk(from, end)
	}
}
