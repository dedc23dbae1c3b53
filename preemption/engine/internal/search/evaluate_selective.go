package search

import (
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// The answer of a filter that says which pods concern it does not depend on other pods. If pods of the node
// can change the answers of no other filters, the dry run is arithmetic on rows as in evaluateByResources,
// and filters are asked only when a pod that concerns one of them is put back. Such a pod may be a victim
// whatever its priority. Of the other pods, those above the bound are always put back, unless a pod up to the
// bound violates a budget: while the pods up to the bound are gone there is room for all of them.

// evaluateSelectively finds the victims on a candidate if selective filters take part in the choice (chapter
// 9).
func (w *Worker) evaluateSelectively(position int, n *state.NodeState, bound int32) {
	// If a filter fails with all possible victims gone that concern it, the node is no candidate (rule 9.3).
	// All of them are put back in the end, because the state of the caller's filters goes on to the next
	// node.
	first := n.First(w.attempt.Reach)
	w.findConcerned(n, first)
	w.Dry.EnterAfterResources(n)
	w.changeConcerned(n, first, -1)
	defer w.changeConcerned(n, first, 1)
	if st := w.Dry.CheckAfterResources(); st.Code != filters.Success {
		w.after.count(w.after.intern(st), 1)
		return
	}

	w.violates = w.violates[:0]
	if len(n.Covered) > 0 {
		w.charge(n)
	}

	// Unless a pod up to the bound violates a budget, the pods above it that concern no filter are always put
	// back, even if one of them violates a budget.
	sum := w.sums.At(n.Slot)
	t := w.reprieveOn(n)
	t.concerned = &concernedPods{dry: &w.Dry, away: w.concerned, above: first}
	if last := len(w.violates) - 1; last < 0 || n.SortKeys[w.violates[last]].Priority > bound {
		t.concerned.above = n.First(int64(bound) + 1)
		w.violates = slices.DeleteFunc(w.violates, func(i int32) bool { return !t.concerned.tries(int(i)) })
	}

	t.violates = w.violates
	t.left.begin(sum, &w.need.asks)
	for i := first; i < len(n.Rows); i++ {
		if t.concerned.tries(i) {
			t.release(i)
		}
	}
	if f, ok := t.reprieve(first, bound); ok {
		f.Position = position
		w.keep(f)
	}
}

// findConcerned marks the pods of a node, from an index on, that concern a filter. changeConcerned removes
// the marked pods for the filters and puts them back; letBack puts one back and removes its mark.
func (w *Worker) findConcerned(n *state.NodeState, from int) {
	w.concerned = state.Fill(w.concerned, len(n.Pods), false)
	w.plan.MarkConcerned(n, from, w.concerned)
}

// changeConcerned removes the marked pods for the filters (by is -1), or puts them back (1).
func (w *Worker) changeConcerned(n *state.NodeState, from, by int) {
	for i := from; i < len(n.Pods); i++ {
		if w.concerned[i] {
			w.Dry.ChangeAfterResources(n.Pods[i], by)
		}
	}
}
