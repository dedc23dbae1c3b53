package search

import (
	"context"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// eachCandidate calls visit for each candidate among the marked nodes, in the order of the nodes or of the
// sample. A candidate is valid only during the call.
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

// visitForSample visits the candidate at a position if the sample has room for it, and returns what the node
// adds to the sample. Even with noRoom the node is evaluated, so that its status is counted.
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

// candidateAt returns the candidate at a position, valid until the next call. ok is false if the node is no
// candidate; w.failure then says why.
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

// runWhole decides by finding all candidates. That is needed if a rank compares something that can be
// computed only from a complete candidate.
func (s *Search) runWhole(ctx context.Context) (*preemption.Plan, error) {
	if err := s.each(ctx, s.statusRound()); err != nil {
		return nil, err
	}
	plan := s.beginPlan()
	if plan.Outcome != preemption.Preempts {
		return plan, nil
	}

	// Ties are settled by position here, because a sample does not visit the nodes in their order.
	q, best := &s.Asked, NodeScore{Position: -1}
	attempt := &q.Attempt
	var score preemption.Score // score of the best candidate

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

	// finishPlan finds the victims once more. The caller's own figures are taken from the first time.
	s.finishPlan(plan, best)
	if best.Position >= 0 {
		plan.Score.Own = score.Own
	}
	return plan, nil
}

// statusRound returns the round that counts the status of every node and marks those on which preemption is
// to be tried.
func (s *Search) statusRound() func(w *Worker, from, to int) {
	if q := &s.Asked; q.given.any {
		return (*Worker).noteGiven
	}
	return (*Worker).filterNodes
}
