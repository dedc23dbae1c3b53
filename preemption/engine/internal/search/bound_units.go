package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// A node with pods that name groups, where victims are units (rule 12.8.1), is bounded and
// evaluated in one of three ways:
//
//   - If its pods count by their own priorities, the default rules apply, and no filter looks at other pods,
//     then the bounds of single pods are valid (ENGINE.md has the proof). Only the evaluation is a dry run of
//     units.
//   - Otherwise, by the default rules, the possible victims are removed to find the node's status, and the
//     bound is a weak one (byUnits).
//   - By other rules, or if a filter may contradict itself, the node is evaluated at once.
//
// boundUnits bounds a node in the second or third way. plain is set if the summary of the node tells what is
// free.
func (w *Worker) boundUnits(p prospect, plain bool) {
	n, b := w.snap.NodeStates[p.slot], p.bound
	byDefault := w.need.bounded != 0
	if !w.need.filtered && plain && byDefault {
		w.boundUnitsByRows(b, n, p.sum)
		return
	}

	short, failed := w.shortByFilters(b, n)
	if !failed {
		return
	}
	if !short || !plain || !byDefault {
		w.settle(b, p.position, n)
		return
	}
	if w.helpsWithoutAll(b) {
		w.boundWeakly(b, p.slot, p.sum)
	}
}

// boundUnitsByRows is boundUnits for a node on which resources alone decide, by the default rules.
func (w *Worker) boundUnitsByRows(b *NodeBound, n *state.NodeState, sum *state.NodeSummary) {
	if b.before = w.Shortage(sum); b.before == 0 {
		return
	}
	away := w.heldByUnits(n)
	if away.Pods == 0 || !w.covers(sum, &away.Held, away.Pods) {
		w.recordShortage(b, n.Slot, sum, &away)
		return
	}
	w.boundWeakly(b, n.Slot, sum)
}

// heldByUnits sums up the pods of a node that are in units below the preemptor's priority. A pod counts by
// the priority of its unit, so that these pods need not be the last in the node's list.
func (w *Worker) heldByUnits(n *state.NodeState) (away state.Level) {
	snap, below := w.snap, w.attempt.Reach
	for i, p := range n.Pods {
		priority := n.SortKeys[i].Priority
		if p.Class.Group != "" {
			priority = snap.Units.Of(p).Priority
		}
		if int64(priority) >= below {
			continue
		}

		away.Pods++
		for k, v := range n.Rows[i] {
			away.Held[k] += v
		}
	}
	return away
}

// boundWeakly gives a candidate a bound that is valid by whatever priorities its pods count: the top victim
// has at least the lowest priority on the node, and fewest is that of FewestByExtremes.
func (w *Worker) boundWeakly(b *NodeBound, slot int32, sum *state.NodeSummary) {
	b.Kind = byUnits
	b.Bound = sum.Lowest
	b.fewest = uint16(min(w.fewestOfAny(w.sums.ExtremesAt(slot), sum), math.MaxUint16))
	b.tightened = true // sums over the pods of the lowest priority prove nothing here
}
