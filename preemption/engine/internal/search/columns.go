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

// columnBound is a node on its way to a bound by columns.
type columnBound struct {
	prospect
	n *state.NodeState
	// early and late are the statuses of the filters that fail as things are, before NodeResourcesFit and
	// behind it; nil where none does.
	early, late *filters.Status
	// byResources is the bound by resources alone. makesRoom is set if they suffice once the possible victims
	// are gone.
	byResources NodeBound
	makesRoom   bool
}

// boundByColumns bounds a node by its columns. It is not ok where the filters have to be asked.
func (w *Worker) boundByColumns(p prospect) (ok bool) {
	n := w.snap.NodeStates[p.slot]
	early, late, ok := w.plan.Count(&w.columns, n, w.attempt.Reach)
	if !ok {
		return false
	}
	c := columnBound{prospect: p, n: n, early: early, late: late}
	if w.columnsFail(&c) {
		w.boundWithoutLower(&c)
	}
	return true
}

// columnsFail finds what the node answers as things are: the first failure in the order of the filters (rule
// 7.1.3). It reports whether there is one and preemption may help.
func (w *Worker) columnsFail(c *columnBound) bool {
	b, room := c.bound, &c.byResources
	room.before = w.Shortage(c.sum)
	switch {
	case c.early != nil:
		b.before = w.before.internSame(c.early)

	case room.before != 0: // the answer is that of resources, which is taken over below

	case c.late == nil:
		return false

	default:
		b.before = w.before.internSame(c.late)
		if c.late.Code != filters.Unschedulable {
			return false
		}
	}

	c.makesRoom = room.before == 0 || w.withoutLower(room, c.slot, c.sum)
	if b.before == 0 {
		*b = *room
		return c.makesRoom
	}
	return true
}

// boundWithoutLower finds what the node answers with the possible victims gone, and bounds it if it takes the
// preemptor then.
func (w *Worker) boundWithoutLower(c *columnBound) {
	b, sum, reach := c.bound, c.sum, w.attempt.Reach
	if sum.LowPods == 0 || int64(sum.Lowest) >= reach {
		b.after = noVictims
		return
	}

	// The first failure counts again.
	early, late, top, fewest := w.columns.Without()
	b.Kind = Settled
	switch {
	case early != nil:
		b.after = w.after.internSame(early)
		return
	case !c.makesRoom:
		b.after = w.shortageWithout(sum, lowerThan(c.n, c.n.First(reach))) | w.hopeless(c.slot)
		return
	case late != nil:
		b.after = w.after.internSame(late)
		return
	}

	b.Kind = byResources
	b.Bound = c.byResources.Bound
	b.fewest = 1
	if c.early != nil || c.late != nil {
		b.Kind = byColumns
		if short := c.byResources.before != 0; !short || top > b.Bound {
			b.Bound = top // room in every column takes the highest of what each column takes
		}
	}
	if b.Bound == sum.Lowest {
		b.fewest = uint16(min(max(int64(sum.Fewest(&w.need.asks)), fewest), math.MaxUint16))
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
