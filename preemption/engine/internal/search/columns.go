package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Filters that look at the pods of the node alone mostly count like resources (see
// filters.Columns). Then a node is bounded and evaluated without a dry run. By the default
// rules about victims, what is proved of resources holds for each column as well:
//
//   - If q is the lowest priority such that removing every pod of priority q and below makes
//     room in every column, the top victim has priority q or above.
//   - As many pods leave as hold the excess if each held the most that one holds.
//   - Pods above q are put back in any case, unless one up to q violates a budget.
//   - At least one pod is a victim: if all were back, a column would be in excess again.

// countsLikeResources reports whether a node is to be asked for columns: only the default rules about victims,
// and filters that look at the pods of the node alone, leave the statements above true.
func (w *Worker) countsLikeResources(sum *state.NodeSummary) bool {
	return w.need.filtered && w.plan.Local && w.rules.byRows && !w.need.anyPod && !w.statuses.any && sum.Flags&state.AnyUnits == 0
}

// boundByColumns bounds a node by its columns. It is not ok where the filters have to be asked.
func (w *Worker) boundByColumns(p prospect) (ok bool) {
	b, n := p.bound, w.snap.NodeStates[p.slot]
	early, late, ok := w.plan.Count(&w.columns, n, w.attempt.Reach)
	if !ok {
		return false
	}

	// As things are, the node answers the first failure in the order of the filters (rule 7.1.3): one before
	// NodeResourcesFit, a shortage, or one behind it.
	resources := NodeBound{before: w.Shortage(p.sum)}
	short := resources.before != 0
	switch {
	case early != nil:
		b.before = w.before.internSame(early)

	case short: // the answer is that of resources, which is taken over below

	case late == nil:
		return true

	default:
		b.before = w.before.internSame(late)
		if late.Code != filters.Unschedulable {
			return true // preemption is not tried
		}
	}

	makesRoom := !short || w.withoutLower(&resources, p.slot, p.sum)
	if b.before == 0 {
		*b = resources
		if !makesRoom {
			return true
		}
	}
	if top, candidate := w.columnsWithoutLower(p, n, makesRoom); candidate {
		w.boundColumnVictims(p, &resources, top, early != nil || late != nil)
	}
	return true
}

// columnTop is what a column lets say of the victims: the lowest possible priority of the top victim, and how many
// leave at least if that is the lowest priority of the node.
type columnTop struct {
	priority int32
	fewest   int64
}

// columnsWithoutLower finds what the node answers with the possible victims gone, where the first failure counts
// again. It reports whether the node takes the preemptor then, and what its columns say of the victims.
func (w *Worker) columnsWithoutLower(p prospect, n *state.NodeState, makesRoom bool) (top columnTop, candidate bool) {
	b, sum, reach := p.bound, p.sum, w.attempt.Reach
	if sum.LowPods == 0 || int64(sum.Lowest) >= reach {
		b.after = noVictims
		return columnTop{}, false
	}

	early, late, priority, fewest := w.columns.Without()
	b.Kind = Settled
	switch {
	case early != nil:
		b.after = w.after.internSame(early)
	case !makesRoom:
		b.after = w.shortageWithout(sum, lowerThan(n, n.First(reach))) | w.hopeless(p.slot)
	case late != nil:
		b.after = w.after.internSame(late)
	default:
		return columnTop{priority, fewest}, true
	}
	return columnTop{}, false
}

// boundColumnVictims bounds a candidate by resources and, if a column is in excess, by the columns: room in every
// one of them takes the highest of what each takes.
func (w *Worker) boundColumnVictims(p prospect, resources *NodeBound, top columnTop, excess bool) {
	b := p.bound
	b.Kind = byResources
	b.Bound = resources.Bound
	b.fewest = 1
	if excess {
		b.Kind = byColumns
		if short := resources.before != 0; !short || top.priority > b.Bound {
			b.Bound = top.priority
		}
	}
	if b.Bound == p.sum.Lowest {
		b.fewest = uint16(min(max(int64(p.sum.Fewest(&w.need.asks)), top.fewest), math.MaxUint16))
	}
}

// lowerThan returns what the pods from an index on hold together.
func lowerThan(n *state.NodeState, from int) *state.Level {
	return &state.Level{Pods: int32(len(n.Pods) - from), Held: heldFrom(n, from)}
}

// evaluateByColumns is evaluateByResources for a node that is bounded by columns.
func (w *Worker) evaluateByColumns(position int, n *state.NodeState, bound int32) {
	w.plan.Count(&w.columns, n, w.attempt.Reach) // the columns of another node may have taken their place since
	w.counting = true
	w.evaluateByResources(position, n, bound)
	w.counting = false
}
