package search

import (
	"context"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// filterNodes finds for a chunk of the nodes only whether they take the preemptor,
// and on which of the others preemption is to be tried.
func (w *Worker) filterNodes(from, to int) {
	plain := !w.need.filtered && !w.plan.Selects
	for position := from; position < to; position++ {
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

// filterByResources is filterNodes for a node on which resources alone decide. Where
// not every node is large enough, what the less important pods hold mostly shows that
// this one is; that stands in its summary.
func (w *Worker) filterByResources(slot int32, sum *state.NodeSummary) (answer, filters.Code) {
	short := w.Shortage(sum)
	switch {
	case short == 0:
		return 0, filters.Success
	case w.need.everyLarge || w.covers(sum, &sum.Low, int32(sum.LowPods)):
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
	offers := &w.snap.NodeStates[slot].Offers.Std
	for k := range w.need.asks {
		if w.need.asks[k] > offers[k] {
			return short | unresolvable, filters.UnschedulableAndUnresolvable
		}
	}
	return short, filters.Unschedulable
}

// trySample tries the nodes where preemption may help, from the offset on, until
// enough candidates are found, one of them free of violations (group 10.1).
func (s *Search) trySample(ctx context.Context, try func(position int, anyFree bool, room listRoom) sampled) error {
	nodes := s.tries.positions[:0]
	for position, try := range s.tries.marked {
		if try {
			nodes = append(nodes, int32(position))
		}
	}
	s.tries.positions = nodes
	if len(nodes) == 0 {
		return nil
	}
	q := &s.Asked
	start, enough := dryrun.StartOf(q.Attempt.Offset, len(nodes)), dryrun.EnoughOf(q.terms.Sample, len(nodes))
	violating, free, room := 0, 0, noRoom
	for i := range nodes {
		if i%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if enough > 0 {
			room = roomForFree
		}
		if violating < enough {
			room = roomForAll
		}
		switch try(int(nodes[(start+i)%len(nodes)]), free > 0, room) {
		case freeCandidate:
			free++
		case violatingCandidate:
			violating++
		}
		if free > 0 && free+violating >= enough {
			return nil
		}
	}
	return nil
}

// listRoom says which candidates a sample still has room for. Where no candidates at
// all are enough, each node is tried for its status alone (rule 10.1.5).
type listRoom uint8

const (
	noRoom listRoom = iota
	roomForFree
	roomForAll
)

// sampled is what a node is for a sample.
type sampled uint8

const (
	noCandidate sampled = iota
	freeCandidate
	violatingCandidate
)

// tryForSample tries a node. A candidate that violates a budget counts only if there
// is room for it. Once a candidate is free of violations, which is all that matters,
// there is room for any other, and they are not told apart. Only those that may
// violate a budget are evaluated for that.
func (w *Worker) tryForSample(position int, anyFree bool, room listRoom) sampled {
	slot := w.snap.Order[position]
	b, sum := &w.bounds[position], w.sums.At(slot)
	best := w.Best
	w.Best = NodeScore{Position: -1} // so that nothing is pruned
	w.tryNode(b, position, slot)
	found := w.Best
	w.Best = best
	surely := b.Kind != unasked && !w.rules.chosen // a candidate, whatever it is worth
	if room == noRoom {
		if b.Kind != Settled && !surely {
			w.ScoreOfNode(b, position) // for its status
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

// freeOfViolations reports that no victim on a candidate violates a budget. That is
// so where all victims are of the lowest priority because those that violate none are
// enough, and where no pod of that priority can violate any.
func (w *Worker) freeOfViolations(b *NodeBound, slot int32, sum *state.NodeSummary) bool {
	if w.terms.EmptySelectors() || b.Bound != sum.Lowest {
		return false
	}
	e := w.sums.ExtremesAt(slot)
	if w.rules.ascending {
		r := w.rules
		return b.Kind == byResources && r.asks == asksNobody && !r.chosen && r.order != callersOrder && !r.mayViolate(e.LowBudgets, e.MostCovered)
	}
	return w.StaysLow(b, sum, e)
}

// ScoreOfNode evaluates a node, and returns its score; position is below 0 where it
// is no candidate.
func (w *Worker) ScoreOfNode(b *NodeBound, position int) NodeScore {
	best, allowed := w.Best, w.allowed
	w.Best = NodeScore{Position: -1}
	w.evaluateAt(position)
	found := w.Best
	w.Best, w.allowed = best, allowed
	return found
}
