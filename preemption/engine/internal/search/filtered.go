package search

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// beginPlan starts the plan with the results of the first round. The outcome is final unless it is Preempts.
func (s *Search) beginPlan() *preemption.Plan {
	q := &s.Asked
	a := &q.Attempt
	p := &preemption.Plan{
		Pod: a.Pod, Now: a.Now, Release: q.snap.Release(), Variant: q.terms.Variant, Outcome: preemption.Preempts,
		Resize: isResize(&a.Asked), Refused: q.refusedBy, Ineligible: q.ineligible, Warnings: a.Warnings(),
	}

	// Whether the pod may preempt matters only if it does not fit (rule 8.1).
	f := s.filtered()
	p.Feasible, p.TurnedDown = f.feasible, q.counts(f.turnedDown)
	switch {
	case p.Feasible > 0:
		p.Outcome, p.FirstFit = preemption.Fits, s.Workers[0].NodeAt(f.first).Name
	case p.Ineligible != "":
		p.Outcome = preemption.NotEligible
	}
	return p
}

// isResize reports whether a question is about a deferred resize in place (group 7.19).
func isResize(q *filters.Question) bool { return q.Deferral.Asked }

// filtered is the result of the first round: the answers of the nodes with all pods in place.
type filtered struct {
	// feasible is the number of nodes that take the preemptor, and first the least position of such a node,
	// math.MaxInt if there is none.
	feasible, first int
	// turnedDown counts the other nodes by their statuses.
	turnedDown tally
}

// filtered combines the answers that the workers have counted. Its tally is memory of the search, and valid
// until the next call of filtered or unhelpful.
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

// sum adds the failures that a worker has counted to a tally. Each worker numbers statuses in its own way, so
// that they are matched by value.
func (q *Asked) sum(t tally, heard *answers) tally {
	for x, nodes := range heard.usual {
		if x > 0 && nodes > 0 {
			t.add(q.statusOf(answer(x)), nodes)
		}
	}
	for _, other := range heard.others {
		if other.nodes > 0 {
			t.add(other.Status, other.nodes)
		}
	}
	return t
}

// statusOfNode returns the status of a single node by its name, and false for a node that does not exist.
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
	if len(w.statuses.list) > 0 { // all statuses have been read
		return dryrun.FilterStatusOf(&w.statuses.list[slices.Index(w.snap.Order, n.Slot)])
	}
	status, err := w.attempt.GivenStatusOf(w.statuses.from, n)
	if err != nil {
		w.Dry.Err = err
	}
	return dryrun.FilterStatusOf(&status)
}

// counts converts a tally to the public form, sorted by frequency.
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
