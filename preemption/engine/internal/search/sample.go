package search

import (
	"context"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// filterNodes counts the answers of the nodes at a range of positions, and marks those on which preemption is
// to be tried. It bounds nothing.
func (w *Worker) filterNodes(from, to int) {
	plain := !w.need.filtered && !w.plan.Selects
	for position := from; position < to; position++ {
		// If resources alone decide, the summary suffices. Units matter only for victims.
		slot := w.snap.Order[position]
		x, code := answer(0), filters.Success
		if sum := w.sums.At(slot); plain && sum.Flags&^state.AnyUnits == 0 {
			x, code = w.filterByResources(slot, sum)
		} else if st := w.Dry.Filter(w.snap.NodeStates[slot]); st.Code != filters.Success {
			x, code = w.before.intern(st), st.Code
		}

		w.marked[position] = code == filters.Unschedulable
		w.answered(x, position)
	}
}

// filterByResources returns the answer of a node on which resources alone decide. A node that is too small
// even when empty is unresolvable (group 7.7), but not in v1.13 (rule 13.2.15). The node offers at least what
// is free once its less important pods are gone, which mostly proves that it is large enough, and which is in
// its summary.
func (w *Worker) filterByResources(slot int32, sum *state.NodeSummary) (answer, filters.Code) {
	short := w.Shortage(sum)
	switch {
	case short == 0:
		return 0, filters.Success
	case w.need.everyLarge || w.need.triesTooSmall || w.covers(sum, &sum.Low, int32(sum.LowPods)):
		return short, filters.Unschedulable
	}

	for i := 1; i <= state.NumUpperLevels; i++ {
		above := w.snap.LevelAbove(slot, i)
		if above == nil {
			break
		}
		if w.covers(sum, &above.Held, above.Pods) {
			return short, filters.Unschedulable
		}
	}

	// Only now is it worth reading what the node offers, which lies elsewhere in memory.
	if w.tooSmall(slot) {
		return short | unresolvable, filters.UnschedulableAndUnresolvable
	}
	return short, filters.Unschedulable
}

// trySample tries the marked nodes in turn, from the offset on, until enough candidates are found and one of
// them is free of violations (group 10.1).
func (s *Search) trySample(ctx context.Context, try func(position int, anyFree bool, room listRoom) sampled) error {
	nodes := s.tries.list()
	if len(nodes) == 0 {
		return nil
	}

	q := &s.Asked
	start := dryrun.StartOf(q.Attempt.Offset, len(nodes))
	enough := dryrun.EnoughOf(q.terms.Sample, len(nodes))
	violating, free := 0, 0
	for i := range nodes {
		if i%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}

		position := int(nodes[(start+i)%len(nodes)]) // wraps around (rule 10.1.1)
		switch try(position, free > 0, roomWith(violating, enough)) {
		case freeCandidate:
			free++
		case violatingCandidate:
			violating++
		}

		// Violating candidates count, but only one that is free of violations lets the search end (rule 10.1.3).
		if free > 0 && free+violating >= enough {
			return nil
		}
	}
	return nil
}

// list returns the positions of the marked nodes.
func (t *tries) list() []int32 {
	t.positions = t.positions[:0]
	for position, marked := range t.marked {
		if marked {
			t.positions = append(t.positions, int32(position))
		}
	}
	return t.positions
}

// listRoom says which candidates still have room in the list of a sample.
type listRoom uint8

const (
	noRoom listRoom = iota
	roomForFree
	roomForAll
)

// roomWith returns the room of a list with this many violating candidates, if enough candidates end the
// search. No more violating ones than that are kept (rule 10.1.4). If enough is 0, every candidate is
// dropped, and each node is tried only for its status (rule 10.1.5).
func roomWith(violating, enough int) listRoom {
	switch {
	case violating < enough:
		return roomForAll
	case enough > 0:
		return roomForFree
	}
	return noRoom
}

// sampled says what a node adds to a sample: no candidate, one free of violations, or one that violates
// budgets.
type sampled uint8

const (
	noCandidate sampled = iota
	freeCandidate
	violatingCandidate
)

// tryForSample tries a node. A candidate that violates a budget counts only if there is room for it. Once a
// candidate free of violations was found (anyFree), only the total number of candidates matters, so that the
// two kinds need not be told apart. Before that, a candidate is evaluated only if it may violate a budget.
func (w *Worker) tryForSample(position int, anyFree bool, room listRoom) sampled {
	slot := w.snap.Order[position]
	b, sum := &w.bounds[position], w.sums.At(slot)
	found := w.tryAlone(b, position, slot)

	// A node with a bound is certainly a candidate unless a filter or a chooser has yet to be asked.
	surely := b.Kind != unasked && !w.rules.chosen
	if room == noRoom {
		if b.Kind != Settled && !surely {
			w.ScoreOfNode(b, position) // so that its status is counted
		}
		return noCandidate
	}

	if b.Kind != Settled {
		if surely && (anyFree || w.freeOfViolations(b, slot, sum)) {
			w.consider(prospect{position, slot, sum, b})
			return freeCandidate
		}
		found = w.ScoreOfNode(b, position)
	}

	switch {
	case found.Position < 0:
		return noCandidate
	case found.Violations == 0:
		w.keep(found)
		return freeCandidate
	case room == roomForAll:
		w.keep(found)
		return violatingCandidate
	}
	return noCandidate
}

// tryAlone is tryNode without an incumbent, so that nothing is pruned. It returns the score of a node that
// was evaluated at once. For any other node the position is below 0.
func (w *Worker) tryAlone(b *NodeBound, position int, slot int32) NodeScore {
	best := w.Best
	w.Best = NodeScore{Position: -1}
	w.tryNode(b, position, slot)
	found := w.Best
	w.Best = best
	return found
}

// freeOfViolations reports whether it is certain that no victim on a candidate violates a budget. It is if
// the pods of the lowest priority that violate no budget make room, or if no pod of that priority can violate
// one.
func (w *Worker) freeOfViolations(b *NodeBound, slot int32, sum *state.NodeSummary) bool {
	if w.terms.EmptySelectors() || b.Bound != sum.Lowest {
		return false
	}

	// Without reprieve the least important pods leave, even if they violate a budget.
	e := w.sums.ExtremesAt(slot)
	if w.rules.ascending {
		r := w.rules
		return b.Kind == byResources && r.asks == asksNobody && !r.chosen && r.order != callersOrder && !r.mayViolate(e.LowBudgets, e.MostCovered)
	}
	return w.StaysLow(b, sum, e)
}

// ScoreOfNode evaluates a node without an incumbent, and returns its score. The position is below 0 if the
// node is no candidate.
func (w *Worker) ScoreOfNode(b *NodeBound, position int) NodeScore {
	best, allowed := w.Best, w.allowed
	w.Best = NodeScore{Position: -1}
	w.evaluateAt(position)
	found := w.Best
	w.Best, w.allowed = best, allowed
	return found
}
