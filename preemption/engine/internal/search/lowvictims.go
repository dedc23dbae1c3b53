package search

import "github.com/outrank-go/outrank/preemption/engine/internal/state"

// On many nodes all victims are known to be among the pods of the lowest priority, or of the two lowest. The
// proof is the same for both. Take the pods up to some priority, and suppose that those of them that violate
// no budget make room by leaving, beside all other pods of the node. The reprieve puts back first the pods that
// violate a budget, then the others, those of higher priority first. While it tries any pod above that priority
// those that make room are still away, so that there is room for it. So no pod above that priority is a victim.

// StaysLow reports that all victims have the lowest priority of the node, on one where the pods of this
// priority make room.
func (w *Worker) StaysLow(b *NodeBound, sum *state.NodeSummary, e *state.Extremes) bool {
	if b.Kind != byResources || w.rules.anyPriority() {
		return false
	}
	return !w.rules.budgetsDecide(e, e.LowBudgets) || w.uncoveredMakeRoom(sum, &sum.Low, &e.Covered, int32(sum.LowPods)-int32(e.CoveredLow))
}

// Within reports whether resources alone bound a node by the priority of a level or a lower one;
// the level is nil if there is none.
func (b *NodeBound) Within(second *state.Level) bool {
	return b.Kind == byResources && second != nil && b.Bound <= second.Priority
}

// StaysSecond reports that all victims have one of the two lowest priorities of the node, on one that is bounded
// within them. The higher one of the two is that of second.
func (w *Worker) StaysSecond(sum *state.NodeSummary, e *state.Extremes, two *state.TwoLowest, second *state.Level) bool {
	if w.rules.anyPriority() {
		return false
	}
	return !w.rules.budgetsDecide(e, two.Budgets) || w.uncoveredMakeRoom(sum, &second.Held, &two.Covered, second.Pods-int32(two.CoveredPods))
}

// budgetsDecide reports whether a pod that one of these budgets covers may violate one, so that it is put back
// before others. Without reprieve victims are taken by priority, and budgets have no say.
func (r *searchRules) budgetsDecide(e *state.Extremes, budgets uint32) bool {
	return !r.ascending && e.AnyCovered && r.mayViolate(budgets, e.MostCovered)
}

// uncoveredMakeRoom reports whether pods that hold this much make room without those of them that budgets cover,
// which hold the rest. pods is the number of the ones that no budget covers. The summary does not count nominated
// pods, so that nothing is known of a node that has some.
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

// mayViolate reports whether one of these budgets can be violated on a node where none
// covers more than so many pods.
func (r *searchRules) mayViolate(budgets uint32, mostCovered uint8) bool {
	return budgets&r.tightAmong(mostCovered) != 0
}

// tightAmong returns the budgets that can be violated on a node where none covers more than
// so many pods: those that allow fewer disruptions.
func (r *searchRules) tightAmong(mostCovered uint8) uint32 {
	return r.tight[min(int(mostCovered), len(r.tight)-1)]
}

// NoteTight finds, for each number of pods, the budgets that so many evictions on one node would violate.
// Budgets that share a bit are told apart no more, so that it may find too many.
func (r *searchRules) NoteTight(budgets *state.BudgetSet) {
	r.tight = [len(r.tight)]uint32{}
	last := len(r.tight) - 1 // for any larger number, which every budget may find too many
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
