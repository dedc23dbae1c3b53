package search

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// BoundNodes bounds a chunk of the nodes, and counts their answers.
func (w *Worker) BoundNodes(from, to int) {
	order, plain := w.snap.Order, !w.need.filtered && !w.plan.Selects && w.rules.asks != asksEach
	for position := from; position < to; position++ {
		b, slot := &w.bounds[position], order[position]
		if sum := w.sums.At(slot); sum.Flags&^w.need.bounded == 0 && (plain || w.RulesPass(slot)) {
			w.boundByResources(b, slot, sum)
		} else {
			w.boundFiltered(b, position, slot)
		}
		w.answered(b.before, position)
		w.after.count(b.after, 1)
	}
}

// RulesPass reports whether resources alone decide on a node without flags, because
// all other filters are rules of the caller that are known to pass there.
func (w *Worker) RulesPass(slot int32) bool {
	return w.need.tabled && w.rules.asks != asksEach && w.plan.PassesTables(slot)
}

// BoundNode bounds a single node.
func (w *Worker) BoundNode(b *NodeBound, position int, slot int32) {
	plain := !w.need.filtered && !w.plan.Selects && w.rules.asks != asksEach
	if sum := w.sums.At(slot); sum.Flags&^w.need.bounded == 0 && (plain || w.RulesPass(slot)) {
		w.boundByResources(b, slot, sum)
	} else {
		w.boundFiltered(b, position, slot)
	}
}

// boundFiltered bounds a node about which the summary does not tell everything.
func (w *Worker) boundFiltered(b *NodeBound, position int, slot int32) {
	*b = NodeBound{}
	n := w.snap.NodeStates[slot]
	sum := w.sums.At(slot)
	if sum.Flags&state.Restricted != 0 || w.plan.Selects {
		if st := w.plan.CheckNode(&w.attempt.Asked, n); st.Code != filters.Success {
			b.before = w.before.intern(st)
			return
		}
	}
	w.boundPods(b, position, slot)
}

// boundPods is boundFiltered without the node filters.
func (w *Worker) boundPods(b *NodeBound, position int, slot int32) {
	n := w.snap.NodeStates[slot]
	sum := w.sums.At(slot)
	var adjusted state.NodeSummary
	sum, plain := w.summaryFor(n, sum, &adjusted)
	switch {
	case w.countsLikeResources(sum) && plain && sum != &adjusted && w.boundByColumns(b, slot, sum):
	case sum.Flags&state.AnyUnits != 0 && (w.need.bounded == 0 || sum.Flags&state.OtherPriorities != 0 || !w.plan.Fixed || !plain):
		w.boundUnits(nodeAt{position, slot, sum, b}, plain)
	case !w.need.filtered && plain && w.rules.asks == asksEach:
		w.boundByAsking(b, slot, sum)
	case !w.need.filtered && plain:
		w.boundByResources(b, slot, sum)
	case !plain || w.need.anyPod || sum == &adjusted || w.plan.Touched(n):
		w.boundByFilters(nodeAt{position, slot, sum, b}, plain)
	default:
		w.boundWithFilters(b, position, slot, sum)
	}
}
