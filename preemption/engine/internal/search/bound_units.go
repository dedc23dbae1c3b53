package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// A node with pods that name groups, where victims are units (rule 12.8.1), is bounded and
// evaluated in one of three ways:
//
//   - Its pods count with their own priorities, the default rules are asked for, and no
//     filter looks at other pods: the bounds of single pods hold (ENGINE.md has the
//     proof), and only the evaluation is a dry run of units.
//   - By the default rules otherwise, the possible victims are taken away for the node's
//     status, and the bound is a weak one (byUnits).
//   - By other rules, and where a filter may contradict itself in the end, the node is
//     evaluated at once.
//
// boundUnits bounds a node in the second or third way.
func (w *Worker) boundUnits(at nodeAt, plain bool) {
	n, b, dry := w.snap.NodeStates[at.slot], at.b, &w.Dry
	if !w.need.filtered && plain && w.need.bounded != 0 {
		w.boundUnitsByRows(b, n, at.sum)
		return
	}
	dry.Enter(n)
	st := dry.Check()
	if st.Code == filters.Success {
		return
	}
	b.before = w.before.intern(st)
	if st.Code != filters.Unschedulable && !w.statuses.any {
		return
	}
	if st.By != filters.ResourcesFilter.Index || !plain || w.need.bounded == 0 {
		w.settle(b, at.position, n)
		return
	}
	if !w.helpsWithoutAll(b) {
		return
	}
	w.boundWeakly(b, at.slot, at.sum)
}

// boundUnitsByRows is boundUnits where resources alone decide, by the default rules.
func (w *Worker) boundUnitsByRows(b *NodeBound, n *state.NodeState, sum *state.NodeSummary) {
	if b.before = w.Shortage(sum); b.before == 0 {
		return
	}
	var away state.Level
	for i, p := range n.Pods {
		priority := n.SortKeys[i].Priority
		if p.Class.Group != "" {
			priority = w.snap.Units.Of(p).Priority
		}
		if priority >= w.attempt.Asked.Priority {
			continue
		}
		away.Pods++
		for k, v := range n.Rows[i] {
			away.Held[k] += v
		}
	}
	if away.Pods == 0 || !w.covers(sum, &away.Held, away.Pods) {
		w.recordShortage(b, n.Slot, sum, &away)
		return
	}
	w.boundWeakly(b, n.Slot, sum)
}

// boundWeakly gives a candidate the bound that holds whatever its pods count as.
func (w *Worker) boundWeakly(b *NodeBound, slot int32, sum *state.NodeSummary) {
	b.Kind, b.Bound, b.exact = byUnits, sum.Lowest, true
	b.fewest = uint16(min(max(FewestByExtremes(w.sums.ExtremesAt(slot), sum, &w.need.asks), 1), math.MaxUint16))
}
