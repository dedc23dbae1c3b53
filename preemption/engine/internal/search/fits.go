package search

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Fits reports whether a node takes the preemptor as things are.
func (w *Worker) Fits(slot int32) bool {
	sum := w.snap.Summaries.At(slot)
	if sum.Flags&^state.AnyUnits == 0 && !w.search.Attempt.Asked.Silent.Has(filters.ResourcesFilter.Index) {
		if w.Shortage(sum) != 0 {
			return false // no other filter can change that
		}
		if !w.search.Filtered && !w.search.Attempt.Plan.Selects || w.RulesPass(slot) {
			return true
		}
	}
	return w.Dry.Filter(w.snap.NodeStates[slot]).Code == filters.Success
}
