package search

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// beginPlan begins the plan with what the first round found. Its outcome is
// final unless it is Preempt.
func (s *Search) beginPlan() *preemption.Plan {
	q := &s.Asked
	a, asked := &q.Attempt, &q.Attempt.Asked
	p := &preemption.Plan{
		Pod: asked.Pod, Now: a.Now, Release: q.snap.Release(), Variant: q.terms.Variant, Outcome: preemption.Preempts,
		Resize: asked.Deferral.Asked, Refused: q.refusedBy, Warnings: a.Warnings(),
	}
	f := s.filtered()
	p.Feasible, p.TurnedDown, p.Ineligible = f.feasible, q.counts(f.turnedDown), q.ineligible
	switch {
	case p.Feasible > 0:
		p.Outcome, p.FirstFit = preemption.Fits, s.Workers[0].NodeAt(f.first).Name
	case p.Ineligible != "":
		p.Outcome = preemption.NotEligible
	}
	return p
}

// filtered is the second stage of a search: what the nodes answer as things are. feasible is how
// many of them take the preemptor, first is the first position of one that does, and turnedDown
// counts the others.
type filtered struct {
	feasible, first int
	turnedDown      tally
}

// filtered gathers what the workers have heard.
func (s *Search) filtered() filtered {
	f := filtered{first: math.MaxInt, turnedDown: s.tally[:0]}
	for _, w := range s.Workers {
		f.feasible += w.before.usual[0]
		f.first = min(f.first, w.firstFit)
		f.turnedDown = s.Asked.sum(f.turnedDown, &w.before)
	}
	s.tally = f.turnedDown
	return f
}

// sum adds up the answers of nodes that turned the preemptor down.
func (q *Asked) sum(t tally, of *answers) tally {
	for x, nodes := range of.usual {
		if x > 0 && nodes > 0 {
			t.add(q.statusOf(answer(x)), nodes)
		}
	}
	for _, other := range of.others {
		if other.nodes > 0 {
			t.add(other.Status, other.nodes)
		}
	}
	return t
}

// statusOfNode asks a single node by its name.
func (w *Worker) statusOfNode(node string) (filters.Status, bool) {
	n := w.snap.NodeState(node)
	if n == nil || n.Node == nil {
		return filters.Status{}, false
	}
	if w.statuses.any {
		return w.givenOf(n), true
	}
	return w.Dry.Filter(n), true
}

// givenOf returns the status that the caller gave for a single node.
func (w *Worker) givenOf(n *state.NodeState) filters.Status {
	if len(w.statuses.list) > 0 { // all are read
		return dryrun.FilterStatusOf(&w.statuses.list[slices.Index(w.snap.Order, n.Slot)])
	}
	status, err := w.attempt.GivenStatusOf(w.statuses.from, n)
	if err != nil {
		w.Dry.Err = err
	}
	return dryrun.FilterStatusOf(&status)
}

// counts returns the counts with their texts, sorted by frequency.
func (q *Asked) counts(t tally) []preemption.Count {
	if len(t) == 0 {
		return nil
	}
	out := make([]preemption.Count, 0, len(t))
	for i := range t {
		out = append(out, preemption.Count{Status: q.Attempt.Public(t[i].Status), Nodes: t[i].nodes})
	}
	dryrun.SortCounts(out)
	return out
}
