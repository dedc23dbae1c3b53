package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// evaluateFirst looks at the nodes of a chunk that have the best bound. It
// tightens their bounds by the top-k sums, and evaluates those whose bound
// stays the best.
func (w *Worker) evaluateFirst(from, to int) {
	top, few := w.search.leastBound, w.search.leastVictims
	for position := from; position < to; position++ {
		b := &w.search.Bounds[position]
		if b.Kind == Settled || b.Bound != top || b.fewest != few {
			continue
		}
		slot := w.snap.Order[position]
		w.Tighten(b, slot)
		if b.fewest == few {
			w.evaluate(b, position, slot)
		} else {
			w.leastBound, w.leastVictims = top, min(w.leastVictims, b.fewest)
		}
	}
}

// evaluateNext evaluates the nodes of a chunk that have the best tightened
// bound.
func (w *Worker) evaluateNext(from, to int) {
	top, few := w.search.leastBound, w.search.leastVictims
	for position := from; position < to; position++ {
		if b := &w.search.Bounds[position]; b.Kind != Settled && b.exact && b.Bound == top && b.fewest == few {
			w.evaluate(b, position, w.snap.Order[position])
		}
	}
}

// evaluateRest evaluates the nodes of a chunk that the incumbent does not
// prune.
func (w *Worker) evaluateRest(from, to int) {
	for position := from; position < to; position++ {
		b := &w.search.Bounds[position]
		if b.Kind == Settled || w.pruned(b) {
			continue
		}
		slot := w.snap.Order[position]
		w.Tighten(b, slot)
		w.evaluate(b, position, slot)
	}
}

// evaluate finds the victims on a node, unless it is pruned. The node is
// settled afterwards.
func (w *Worker) evaluate(b *NodeBound, position int, slot int32) {
	if !w.pruned(b) && !w.losesByStart(b, slot) {
		w.FindVictims(position, w.snap.NodeStates[slot], b)
	}
	b.Kind = Settled
}

// Tighten improves the bound of a node by its top-k sums.
func (w *Worker) Tighten(b *NodeBound, slot int32) {
	sum := w.snap.Summaries.At(slot)
	if !b.exact && b.Bound == sum.Lowest {
		short := w.short(sum)
		b.fewest = uint16(min(w.snap.Summaries.TopSumsAt(slot).Fewest(sum, &short, int32(b.fewest)), math.MaxUint16))
	}
	b.exact = true
}

// pruned reports whether no candidate with this bound can beat the best so far
// or tie with it.
func (w *Worker) pruned(b *NodeBound) bool {
	best := &w.Best
	return best.Position >= 0 && best.Violations == 0 &&
		(b.Bound > best.Top || b.Bound == best.Top && int64(b.fewest) > w.allowed)
}

// losesByStart reports whether a node loses by the start of its most important
// victims, if it otherwise ties with the best so far. With more victims than
// its bound says it loses before that.
func (w *Worker) losesByStart(b *NodeBound, slot int32) bool {
	best, victims := &w.Best, int64(b.fewest)
	if best.Position < 0 || best.Violations > 0 || b.Kind == byUnits || b.Bound != best.Top || victims != int64(best.Victims) ||
		best.Sum != victims*(int64(best.Top)+rank.PriorityShift) {
		return false
	}
	sum := w.snap.Summaries.At(slot)
	return sum.Lowest == b.Bound && w.snap.Summaries.TopSumsAt(slot).LatestStart(sum, int32(b.fewest)) < best.Start.Sec
}

// FindVictims finds the victims on a candidate, and keeps the candidate if it
// is the best.
func (w *Worker) FindVictims(position int, n *state.NodeState, b *NodeBound) {
	if b.Kind == unasked && !w.search.Rules.chosen {
		w.askLate(b, n)
	}
	switch {
	case b.Kind == Settled:
	case w.search.Attempt.HasUnits(n) && (b.Kind != byResources || !w.leaveAlone(n, b.Bound)):
		w.evaluateByFilters(position, n)
	case b.Kind == bySelection && n.InOrder(w.search.Attempt.NowAt):
		w.evaluateSelectively(position, n, b.Bound)
	case b.Kind != byResources || !n.InOrder(w.search.Attempt.NowAt) || w.search.Rules.chosen:
		w.evaluateByFilters(position, n)
	case w.search.Rules.byRows:
		w.evaluateByResources(position, n, b.Bound)
	default:
		w.evaluateByRules(position, n)
	}
}

// leaveAlone reports that the pods of a node up to a priority are units by themselves,
// none of which violates a budget. Then they are evaluated as where there are no units: all
// units above are put back, beside the room that these leave.
func (w *Worker) leaveAlone(n *state.NodeState, bound int32) bool {
	from := n.First(int64(bound) + 1)
	if last := len(n.Covered) - 1; last >= 0 && int(n.Covered[last].Index) >= from {
		return false
	}
	for _, p := range n.Pods[from:] {
		if p.Class.Group != "" {
			return false
		}
	}
	return true
}

// askLate asks the filters after NodeResourcesFit about a candidate whose victims are
// wanted. If no pod of the node touches them, their answer does not depend on the
// victims.
func (w *Worker) askLate(b *NodeBound, n *state.NodeState) {
	b.Kind = byResources
	for i := w.search.Attempt.Plan.BeforeResources; i < len(w.search.Attempt.Plan.Active); i++ {
		if f := &w.search.Attempt.Plan.Active[i]; f.Touches(n) {
			b.Kind = bySelection
			if c, ok := f.PodFilter.(*filters.CallerFilter); !ok || c.Concerns == nil || !w.search.Rules.byRows {
				b.Kind = byFilters
				return
			}
		}
	}
	if b.Kind == bySelection {
		return
	}
	w.Dry.EnterAfterResources(n)
	if st := w.Dry.CheckAfterResources(); st.Code != decision.Success {
		b.Kind = Settled
		w.after.count(w.after.intern(st), 1)
	}
}
