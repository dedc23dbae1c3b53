package search

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// eachCandidate visits the candidates among the nodes that are marked to be tried,
// in the order of the nodes or of the sample. A candidate is valid during its visit.
func (s *Search) eachCandidate(ctx context.Context, visit func(position int, c *preemption.Candidate)) error {
	w := s.Workers[0]
	try := func(position int, _ bool, room listRoom) sampled {
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
	if s.Attempt.Config.Sample != nil {
		return s.trySample(ctx, try)
	}
	for position, marked := range s.toTry {
		if position%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if marked {
			try(position, true, roomForAll)
		}
	}
	return nil
}

// candidateAt returns the candidate at a position, valid until the next call, not ok
// if the node is none.
func (w *Worker) candidateAt(position int) (c *preemption.Candidate, ok bool) {
	n := w.search.NodeAt(position)
	if c, b := w.candidateByRows(n, position); b != nil {
		if c == nil {
			w.after.count(b.after, 1)
			w.failure = w.search.statusOf(b.after)
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

// candidateByRows finds the candidate on a node from its rows, where resources alone decide
// by the default rules about victims and budgets: nil where preemption does not help, as the
// bound says. The bound is nil where more is to be asked than the rows.
func (w *Worker) candidateByRows(n *state.NodeState, position int) (*preemption.Candidate, *NodeBound) {
	sum := w.snap.Summaries.At(n.Slot)
	if !w.search.Rules.byRows || w.search.Filtered || sum.Flags&^state.Restricted != 0 || w.mayRefuse(sum) || !n.InOrder(w.search.Attempt.NowAt) {
		return nil, nil
	}
	b := &w.search.Bounds[position]
	w.boundByResources(b, n.Slot, sum)
	switch {
	case b.before == 0:
		return nil, nil
	case b.Kind == Settled:
		return nil, b
	}
	return w.fillCandidate(n, position, b.Bound), b
}

// fillCandidate finds the victims from the rows, and fills in the worker's
// candidate, whose memory is used again.
func (w *Worker) fillCandidate(n *state.NodeState, position int, bound int32) *preemption.Candidate {
	w.blocked, w.recording = w.blocked[:0], true
	f, _ := w.reprieveRows(position, n, bound)
	w.recording = false
	slices.SortFunc(w.blocked, func(a, b blockedPod) int { return int(a.index - b.index) })
	c := &w.scratch
	*c = preemption.Candidate{Node: n.Name, Victims: c.Victims[:0], OwnScores: c.OwnScores[:0], Score: preemption.Score(f.Score())}
	c.Victims = slices.Grow(c.Victims, len(w.blocked))[:len(w.blocked)]
	var blocks preemption.Status // mostly the same as for the victim before
	for i, v := range w.blocked {
		if i == 0 || v.by != w.blocked[i-1].by {
			blocks = w.search.Attempt.Public(w.search.statusOf(v.by))
		}
		c.Victims[i] = preemption.Victim{Pod: n.Pods[v.index].Located(), Priority: n.Pods[v.index].Priority(), Blocks: blocks}
	}
	if f.Violations > 0 {
		w.nameViolatedByRows(n, c.Victims)
	}
	if len(n.Nominated) > 0 {
		c.ClearedNominations = w.search.Attempt.ClearedNominations(n, c.Victims)
	}
	return c
}

// nameViolatedByRows is nameViolated from the rows of a node.
func (w *Worker) nameViolatedByRows(n *state.NodeState, victims []preemption.Victim) {
	from, next := n.First(w.search.Attempt.Reach), 0
	shared := dryrun.SharedNames{Budgets: w.snap.BudgetSet, Broken: w.Dry.Broken[:0]}
	for _, g := range n.Covered {
		if int(g.Index) < from {
			continue
		}
		broken := w.Dry.Budgets.Charge(n.Pods[g.Index])
		for next < len(w.blocked) && w.blocked[next].index < g.Index {
			next++
		}
		if next < len(w.blocked) && w.blocked[next].index == g.Index {
			victims[next].Violated = shared.Of(broken)
		}
	}
	w.Dry.Broken = shared.Broken
	w.Dry.Budgets.Reset()
}

// runScored is run where scorers of the caller compare the candidates, so that all of
// them have to be found.
func (s *Search) runScored(ctx context.Context) (*preemption.Plan, error) {
	if err := s.each(ctx, s.statusRound()); err != nil {
		return nil, err
	}
	plan := s.beginPlan()
	if plan.Outcome != preemption.Preempts {
		return plan, nil
	}
	best := NodeScore{Position: -1}
	var score preemption.Score
	held := dryrun.Standing{Score: &score} // that of the best
	err := s.eachCandidate(ctx, func(position int, c *preemption.Candidate) {
		c.OwnScores = c.OwnScores[:0]
		for _, x := range s.Attempt.Config.Scorers {
			c.OwnScores = append(c.OwnScores, x.Score(c))
		}
		order, _ := s.Attempt.CompareStandings(standingOf(c), held)
		if best.Position < 0 || order < 0 || order == 0 && position < best.Position {
			best.Position, score, held.OwnScores = position, c.Score, append(held.OwnScores[:0], c.OwnScores...)
		}
	})
	if err != nil {
		return nil, err
	}
	s.finishPlan(plan, best)
	plan.OwnScores = held.OwnScores
	return plan, nil
}

// statusRound returns the round that finds the status of every node, and marks those
// where preemption is to be tried.
func (s *Search) statusRound() func(w *Worker, from, to int) {
	if s.given.any {
		return (*Worker).noteGiven
	}
	return (*Worker).filterNodes
}

// releaseScratch drops what the candidate refers to.
func (w *Worker) releaseScratch() {
	victims := w.scratch.Victims[:cap(w.scratch.Victims)]
	clear(victims)
	w.scratch = preemption.Candidate{Victims: victims[:0], OwnScores: w.scratch.OwnScores[:0]}
}
