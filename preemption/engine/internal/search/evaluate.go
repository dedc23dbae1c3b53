package search

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// FindVictims finds the victims on a candidate, and keeps the candidate if it
// is the best.
func (w *Worker) FindVictims(position int, n *state.NodeState, b *NodeBound) {
	w.unbroken = false
	if b.Kind == unasked && !w.rules.chosen {
		w.askLate(b, n)
	}
	switch {
	case b.Kind == Settled:
	case w.attempt.HasUnits(n) && (b.Kind != byResources || !w.leaveAlone(n, b.Bound)):
		w.evaluateByFilters(position, n)
	case b.Kind == byColumns && n.InOrder(w.attempt.NowAt):
		w.evaluateByColumns(position, n, b.Bound)
	case b.Kind == bySelection && n.InOrder(w.attempt.NowAt):
		w.evaluateSelectively(position, n, b.Bound)
	case b.Kind != byResources || !n.InOrder(w.attempt.NowAt) || w.rules.chosen:
		w.evaluateByFilters(position, n)
	case w.rules.byRows:
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
	if b.Kind = w.kindAmong(n); b.Kind != byResources {
		return
	}
	w.Dry.EnterAfterResources(n)
	if st := w.Dry.CheckAfterResources(); st.Code != filters.Success {
		b.Kind = Settled
		w.after.count(w.after.intern(st), 1)
	}
}
