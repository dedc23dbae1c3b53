package search

import "github.com/outrank-go/outrank/preemption/engine/internal/state"

// On many nodes all victims are known to be among the pods of the lowest priority, or of the two lowest. The
// proof is the same for both. Take the pods up to some priority, and suppose that those of them that violate
// no budget make room by leaving, beside all other pods of the node. The reprieve puts back first the pods that
// violate a budget, then the others, those of higher priority first. While it tries any pod above that priority
// those that make room are still away, so that there is room for it. So no pod above that priority is a victim.

// leastImportant are the pods of a node up to some priority, as budgets see them.
type leastImportant struct {
	// held is what pods of them hold together, and covered what those of them hold that a budget covers.
	held, covered     *state.AmountRow
	pods, coveredPods int32
	// budgets has the bits of all budgets that cover any of them.
	budgets uint32
}

// StaysLow reports that all victims have the lowest priority of the node, on one where the pods of this
// priority make room.
func (w *Worker) StaysLow(b *NodeBound, sum *state.NodeSummary, e *state.Extremes) bool {
	return b.Kind == byResources && w.holdsVictims(sum, e, leastImportant{
		held: &sum.Low, covered: &e.Covered, pods: int32(sum.LowPods), coveredPods: int32(e.CoveredLow), budgets: e.LowBudgets,
	})
}

// Within reports whether resources alone bound a node by the priority of a level or a lower one;
// the level is nil if there is none.
func (b *NodeBound) Within(second *state.Level) bool {
	return b.Kind == byResources && second != nil && b.Bound <= second.Priority
}

// StaysSecond reports that all victims have one of the two lowest priorities of the node, on one that is bounded
// within them. The higher one of the two is that of second.
func (w *Worker) StaysSecond(sum *state.NodeSummary, e *state.Extremes, two *state.TwoLowest, second *state.Level) bool {
	return w.holdsVictims(sum, e, leastImportant{
		held: &second.Held, covered: &two.Covered, pods: second.Pods, coveredPods: int32(two.CoveredPods), budgets: two.Budgets,
	})
}

// holdsVictims reports that all victims on a node are among its least important pods, which make room
// together.
func (w *Worker) holdsVictims(sum *state.NodeSummary, e *state.Extremes, of leastImportant) bool {
	switch {
	case w.rules.anyPriority(): // the caller has a say in the order, or in who may leave
		return false
	case w.rules.ascending: // victims are taken by priority until there is room
		return true
	case !e.AnyCovered: // no pod violates a budget, and together these make room
		return true
	case !w.rules.mayViolate(of.budgets, e.MostCovered):
		return true
	case sum.Flags&state.HasNominated != 0: // the summary does not count the nominated pods
		return false
	}
	return w.coversUncovered(sum, &of)
}

// coversUncovered reports whether those of the pods that no budget covers make room by leaving.
func (w *Worker) coversUncovered(sum *state.NodeSummary, of *leastImportant) bool {
	for k := range sum.Free {
		if w.need.asks[k] > sum.Free[k]+of.held[k]-of.covered[k] {
			return false
		}
	}
	return int32(sum.Room)+of.pods-of.coveredPods >= 1
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
