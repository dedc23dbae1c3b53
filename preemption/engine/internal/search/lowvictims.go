package search

import "github.com/outrank-go/outrank/preemption/engine/internal/state"

// On many nodes all victims are known to be among the pods of the lowest priority, or of the two lowest. The
// proof is the same for both. Let q be such a priority, and suppose that the pods up to q that violate no
// budget make room by leaving, with all other pods in place. The reprieve puts back first the pods that
// violate a budget, then the others, those of higher priority first. While it tries a pod above q, the pods
// that make room are still gone, so that there is room for it. So no pod above q is a victim.

// StaysLow reports whether all victims certainly have the lowest priority of the node. The pods of that
// priority must make room.
func (w *Worker) StaysLow(b *NodeBound, sum *state.NodeSummary, e *state.Extremes) bool {
	if b.Kind != byResources || w.rules.anyPriority() {
		return false
	}
	return !w.rules.budgetsDecide(e, e.LowBudgets) || w.uncoveredMakeRoom(sum, &sum.Low, &e.Covered, int32(sum.LowPods)-int32(e.CoveredLow))
}

// Within reports whether resources alone decide on a node, and its bound is at most the priority of the
// second level. second is nil if there is no such level.
func (b *NodeBound) Within(second *state.Level) bool {
	return b.Kind == byResources && second != nil && b.Bound <= second.Priority
}

// StaysSecond reports whether all victims certainly have one of the two lowest priorities of the node. second
// is the level of the higher one, and Within must be true.
func (w *Worker) StaysSecond(sum *state.NodeSummary, e *state.Extremes, two *state.TwoLowest, second *state.Level) bool {
	if w.rules.anyPriority() {
		return false
	}
	return !w.rules.budgetsDecide(e, two.Budgets) || w.uncoveredMakeRoom(sum, &second.Held, &two.Covered, second.Pods-int32(two.CoveredPods))
}

// budgetsDecide reports whether a pod that one of these budgets covers may violate it, and so be put back
// before others. Without reprieve victims are taken by priority, and budgets do not matter.
func (r *searchRules) budgetsDecide(e *state.Extremes, budgets uint32) bool {
	return !r.ascending && e.AnyCovered && r.mayViolate(budgets, e.MostCovered)
}

// uncoveredMakeRoom reports whether the uncovered ones among some pods make room by leaving. held is the sum
// of all these pods, covered the sum of the covered ones, and pods the number of the uncovered ones. It is
// false for a node with nominated pods, because the summary does not count them.
func (w *Worker) uncoveredMakeRoom(sum *state.NodeSummary, held, covered *state.AmountRow, pods int32) bool {
	if sum.Flags&state.HasNominated != 0 {
		return false
	}
	for k := range sum.Free {
		if w.need.asks[k] > sum.Free[k]+held[k]-covered[k] {
			return false
		}
	}
	return int32(sum.Room)+pods >= 1
}

// mayViolate reports whether one of these budgets can be violated on a node where no budget covers more than
// mostCovered pods.
func (r *searchRules) mayViolate(budgets uint32, mostCovered uint8) bool {
	return budgets&r.tightAmong(mostCovered) != 0
}

// tightAmong returns the bits of the budgets that can be violated on a node where no budget covers more than
// mostCovered pods: those that allow fewer disruptions.
func (r *searchRules) tightAmong(mostCovered uint8) uint32 {
	return r.tight[min(int(mostCovered), len(r.tight)-1)]
}

// NoteTight sets tight: for each number of pods, the budgets that this many evictions would violate. Budgets
// can share a bit, so that it may mark too many.
func (r *searchRules) NoteTight(budgets *state.BudgetSet) {
	r.tight = [len(r.tight)]uint32{}
	last := len(r.tight) - 1 // stands for any larger number, which may violate every budget
	for i, b := range budgets.List {
		if b == nil {
			continue
		}

		bit := uint32(1) << (i % state.BudgetBits)
		for pods := max(0, int64(b.DisruptionsAllowed)) + 1; pods < int64(len(r.tight)); pods++ {
			r.tight[pods] |= bit
		}
		r.tight[last] |= bit
	}
}
