package search

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// BoundNodes bounds the nodes at a range of positions, and counts their answers.
func (w *Worker) BoundNodes(from, to int) {
	order, plain := w.snap.Order, w.resourcesDecide()
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

// BoundNode bounds a single node.
func (w *Worker) BoundNode(b *NodeBound, position int, slot int32) {
	if sum := w.sums.At(slot); sum.Flags&^w.need.bounded == 0 && (w.resourcesDecide() || w.RulesPass(slot)) {
		w.boundByResources(b, slot, sum)
	} else {
		w.boundFiltered(b, position, slot)
	}
}

// resourcesDecide reports whether resources alone decide on every node whose summary has no flags.
func (w *Worker) resourcesDecide() bool {
	return !w.need.filtered && !w.plan.Selects && w.rules.asks != asksEach
}

// RulesPass reports whether resources alone decide on a node without flags because all other filters are
// rules of the caller that, by their tables, pass there.
func (w *Worker) RulesPass(slot int32) bool {
	return w.need.tabled && w.rules.asks != asksEach && w.plan.PassesTables(slot)
}

// boundFiltered bounds a node that its summary does not describe completely.
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

// boundPods is boundFiltered after the node filters have passed. It uses the first way of bounding that is
// valid for the node; the tightest come first.
func (w *Worker) boundPods(b *NodeBound, position int, slot int32) {
	n := w.snap.NodeStates[slot]
	var adjusted state.NodeSummary
	sum, plain := w.summaryFor(n, w.sums.At(slot), &adjusted)
	nominated := sum == &adjusted // the adjusted summary has the nominated pods; columns and late filters do not
	p := prospect{position, slot, sum, b}

	switch {
	// Which answer a too small node gives in v1.13 depends on all filters (rule 13.2.15).
	case w.need.triesTooSmall && w.need.filtered && w.tooSmall(slot):
		w.boundByAskingFilters(p, plain)

	case w.countsLikeResources(sum) && plain && !nominated && w.boundByColumns(p):

	case sum.Flags&state.AnyUnits != 0 && (!plain || !w.unitsCountAsPods(sum)):
		w.boundUnits(p, plain)

	case !w.need.filtered && plain && w.rules.asks == asksEach:
		w.boundByAskingCaller(b, slot, sum)

	case !w.need.filtered && plain:
		w.boundByResources(b, slot, sum)

	// All filters have to be asked if the summary does not tell what is free, if there are nominated pods, or
	// if the answer of an early filter may change once pods leave.
	case !plain || w.need.anyPod || nominated || w.plan.Touched(n):
		w.boundByAskingFilters(p, plain)

	default:
		w.boundBesideLateFilters(p)
	}
}

// unitsCountAsPods reports whether the bounds of single pods are valid for a node with units: by the default
// rules, if each pod counts by its own priority and no filter looks at other pods.
func (w *Worker) unitsCountAsPods(sum *state.NodeSummary) bool {
	return w.need.bounded != 0 && sum.Flags&state.OtherPriorities == 0 && w.plan.Fixed
}
