package search

import (
	"context"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// eachCandidate visits the candidates among the nodes that are marked to be tried,
// in the order of the nodes or of the sample. A candidate is valid during its visit.
func (s *Search) eachCandidate(ctx context.Context, visit func(position int, c *preemption.Candidate)) error {
	w := s.Workers[0]
	if w.terms.Sample != nil {
		return s.trySample(ctx, func(position int, _ bool, room listRoom) sampled { return w.visitForSample(position, room, visit) })
	}

	for position, marked := range s.tries.marked {
		if position%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if marked {
			w.visitForSample(position, roomForAll, visit)
		}
	}
	return nil
}

// visitForSample visits the candidate at a position if the sample has room for it, and says what the node is for
// the sample. A node is evaluated where there is room for none as well, for the sake of its status.
func (w *Worker) visitForSample(position int, room listRoom, visit func(position int, c *preemption.Candidate)) sampled {
	c, ok := w.candidateAt(position)
	switch {
	case !ok || room == noRoom:
		return noCandidate
	case c.Score.Violations == 0:
		visit(position, c)
		return freeCandidate
	case room == roomForAll:
		visit(position, c)
		return violatingCandidate
	}
	return noCandidate
}

// candidateAt returns the candidate at a position, valid until the next call. It is not ok if the node is none;
// then the failure of the worker says why.
func (w *Worker) candidateAt(position int) (c *preemption.Candidate, ok bool) {
	n, attempt := w.NodeAt(position), w.attempt
	if c, b := w.candidateByRows(n, position); b != nil {
		if c == nil {
			w.after.count(b.after, 1)
			w.failure = statusOf(attempt.Asked.Needs, b.after)
		}
		return c, c != nil
	}

	possible, st := w.Dry.DryRun(n)
	defer w.Dry.RestoreVictims(possible)
	if st.Code != filters.Success {
		w.countFailure(possible, st)
		w.failure = st
		return nil, false
	}
	w.scratch = w.Dry.Candidate(possible)
	return &w.scratch, true
}

// runWhole decides where a rank compares something that only a whole candidate tells. It finds all candidates.
func (s *Search) runWhole(ctx context.Context) (*preemption.Plan, error) {
	if err := s.each(ctx, s.statusRound()); err != nil {
		return nil, err
	}
	plan := s.beginPlan()
	if plan.Outcome != preemption.Preempts {
		return plan, nil
	}

	// A tie is settled by position, because a sample does not go through the nodes in order.
	q, best := &s.Asked, NodeScore{Position: -1}
	attempt := &q.Attempt
	var score preemption.Score // of the best
	err := s.eachCandidate(ctx, func(position int, c *preemption.Candidate) {
		attempt.Complete(c)
		order := -1
		if best.Position >= 0 {
			order, _ = attempt.Compare(&c.Score, &score)
		}
		if order < 0 || order == 0 && position < best.Position {
			best.Position = position
			score = c.Score
		}
	})
	if err != nil {
		return nil, err
	}

	// The victims are found once more. The caller's figures are not asked for again.
	s.finishPlan(plan, best)
	if best.Position >= 0 {
		plan.Score.Own = score.Own
	}
	return plan, nil
}

// statusRound returns the round that finds the status of every node, and marks the nodes
// on which preemption is to be tried.
func (s *Search) statusRound() func(w *Worker, from, to int) {
	if q := &s.Asked; q.given.any {
		return (*Worker).noteGiven
	}
	return (*Worker).filterNodes
}
