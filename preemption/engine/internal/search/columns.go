package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Filters that look only at the node's own pods mostly behave like resources (see filters.Columns). Then a
// node is bounded and evaluated without a dry run. By the default rules about victims, the proofs about
// resources apply to each column as well:
//
//   - If q is the lowest priority such that removing every pod of priority q and below makes
//     room in every column, the top victim has priority q or above.
//   - The number of victims is at least the excess divided by the largest amount of a single pod.
//   - Pods above q are always put back, unless a pod up to q violates a budget.
//   - At least one pod is a victim, because with all pods back a column would be in excess again.

// countsLikeResources reports whether a node may be bounded by columns. The statements above hold only by the
// default rules about victims, and for filters that look only at the node's own pods.
func (w *Worker) countsLikeResources(sum *state.NodeSummary) bool {
	return w.need.filtered && w.plan.Local && w.rules.byRows && !w.attempt.Asked.Deferral.Asked && !w.statuses.any && sum.Flags&state.AnyUnits == 0
}

// boundByColumns bounds a node by its columns. It reports false if the filters themselves have to be asked.
func (w *Worker) boundByColumns(p prospect) (ok bool) {
	b, n := p.bound, w.snap.NodeStates[p.slot]
	early, late, ok := w.plan.Count(&w.columns, &w.attempt.Asked, n, w.attempt.Reach)
	switch {
	case !ok:
		return false
	case w.columns.Short != 0:
		return w.boundByNeeds(p, early)
	}

	// With all pods in place the node's answer is the first failure in the order of the filters (rule 7.1.3):
	// of an early filter, then a shortage, then of a late filter.
	resources := NodeBound{before: w.Shortage(p.sum)}
	short := resources.before != 0
	switch {
	case early != nil:
		b.before = w.before.internSame(early)

	case short: // the answer is the shortage, which is copied below

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

// boundByNeeds is boundByColumns for a node that is short of a resource without a column in the snapshot. early is
// the first failure before NodeResourcesFit, nil if there is none.
func (w *Worker) boundByNeeds(p prospect, early *filters.Status) (ok bool) {
	b, n, reach := p.bound, w.snap.NodeStates[p.slot], w.attempt.Reach
	if w.columns.Hopeless && w.need.triesTooSmall {
		return false // all filters have to be asked (rule 13.2.15)
	}
	hopeless := w.hopeless(p.slot)
	if w.columns.Hopeless {
		hopeless = unresolvable
	}

	resources := NodeBound{before: w.Shortage(p.sum)}
	if early != nil {
		b.before = w.before.internSame(early)
	} else {
		b.before = w.before.intern(w.shortageStatus(resources.before|hopeless, w.columns.Short))
		if hopeless != 0 {
			return true // preemption is not tried
		}
	}

	makesRoom := resources.before == 0 || w.withoutLower(&resources, p.slot, p.sum)
	if p.sum.LowPods == 0 || int64(p.sum.Lowest) >= reach {
		b.after = noVictims
		return true
	}

	early, late, priority, fewest := w.columns.Without()
	switch {
	case early != nil:
		b.after = w.after.internSame(early)
	case !makesRoom || w.columns.ShortWithout != 0:
		without := w.shortageWithout(p.sum, lowerThan(n, n.First(reach)))
		b.after = w.after.intern(w.shortageStatus(without|hopeless, w.columns.ShortWithout))
	case late != nil:
		b.after = w.after.internSame(late)
	default:
		w.boundColumnVictims(p, &resources, columnTop{priority, fewest}, true)
	}
	return true
}

// shortageStatus returns the status of an answer that is a shortage or nothing, with these needs short beside.
func (w *Worker) shortageStatus(x answer, short uint64) filters.Status {
	st := statusOf(w.attempt.Asked.Needs, x)
	st.Short |= short
	return st
}

// columnTop is the bound on the victims that columns give: the lowest possible priority of the top victim,
// and the least number of victims if that is the lowest priority of the node.
type columnTop struct {
	priority int32
	fewest   int64
}

// columnsWithoutLower finds the node's answer with the possible victims gone: again the first failure. If
// there is none, candidate is true and top has the bound on the victims.
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

// boundColumnVictims bounds a candidate by resources and, if excess is set, by the columns. All of them must
// have room, so that the highest of their bounds is valid.
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

// lowerThan returns the number and the sum of the pods from an index on.
func lowerThan(n *state.NodeState, from int) *state.Level {
	return &state.Level{Pods: int32(len(n.Pods) - from), Held: heldFrom(n, from)}
}

// evaluateByColumns is evaluateByResources for a node that is bounded by columns.
func (w *Worker) evaluateByColumns(position int, n *state.NodeState, bound int32) {
	w.plan.Count(&w.columns, &w.attempt.Asked, n, w.attempt.Reach) // the columns may be another node's by now
	w.counting = true
	w.evaluateByResources(position, n, bound)
	w.counting = false
}
