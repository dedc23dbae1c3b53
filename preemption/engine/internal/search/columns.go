package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Filters that look at the pods of the node alone mostly count like resources (see
// filters.Columns). Then a node is bounded and evaluated without a dry run. By the default
// rules about victims, all that is said of resources is true of each column as well:
//
//   - If q is the lowest priority such that removing every pod of priority q and below makes
//     room in every column, the top victim has priority q or above.
//   - As many pods leave as hold the excess if each held the most that one holds.
//   - Pods above q are put back in any case, unless one up to q violates a budget.
//   - A pod is a victim at least: if all were back, a column would be short again.

// countsLikeResources reports whether nodes are to be asked for columns.
func (w *Worker) countsLikeResources(sum *state.NodeSummary) bool {
	return w.need.filtered && w.plan.Local && w.rules.byRows && !w.need.anyPod && !w.statuses.any && sum.Flags&state.AnyUnits == 0
}

// boundByColumns bounds a node by its columns. It is not ok where the filters have to be asked.
func (w *Worker) boundByColumns(b *NodeBound, slot int32, sum *state.NodeSummary) (ok bool) {
	n := w.snap.NodeStates[slot]
	early, late, ok := w.plan.Count(&w.columns, n, w.attempt.Reach)
	if !ok {
		return false
	}
	room := NodeBound{before: w.Shortage(sum)}
	switch {
	case early != nil:
		b.before = w.before.internSame(early)
	case room.before != 0:
	case late == nil:
		return true
	default:
		if b.before = w.before.internSame(late); late.Code != filters.Unschedulable {
			return true
		}
	}
	makesRoom := room.before == 0 || w.withoutLower(&room, slot, sum)
	if b.before == 0 {
		if *b = room; !makesRoom {
			return true
		}
	}
	if sum.LowPods == 0 || int64(sum.Lowest) >= w.attempt.Reach {
		b.after = noVictims
		return true
	}
	earlyLeft, lateLeft, top, fewest := w.columns.Without()
	switch b.Kind = Settled; {
	case earlyLeft != nil:
		b.after = w.after.internSame(earlyLeft)
		return true
	case !makesRoom:
		b.after = w.shortageWithout(sum, lowerThan(n, n.First(w.attempt.Reach))) | w.hopeless(slot)
		return true
	case lateLeft != nil:
		b.after = w.after.internSame(lateLeft)
		return true
	}
	b.Kind, b.Bound, b.fewest = byResources, room.Bound, 1
	if early != nil || late != nil {
		b.Kind = byColumns
		if room.before == 0 || top > b.Bound {
			b.Bound = top
		}
	}
	if b.Bound == sum.Lowest {
		b.fewest = uint16(min(max(int64(sum.Fewest(&w.need.asks)), fewest), math.MaxUint16))
	}
	return true
}

// lowerThan is what the pods from an index on hold together.
func lowerThan(n *state.NodeState, from int) *state.Level {
	return &state.Level{Pods: int32(len(n.Pods) - from), Held: heldFrom(n, from)}
}

// evaluateByColumns is evaluateByResources for such a node.
func (w *Worker) evaluateByColumns(position int, n *state.NodeState, bound int32) {
	w.plan.Count(&w.columns, n, w.attempt.Reach)
	w.counting = true
	w.evaluateByResources(position, n, bound)
	w.counting = false
}
