package search

import (
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// A filter that says which pods concern it answers the same whichever others leave.
// So where these filters are the only ones that pods of the node touch, the dry run is
// arithmetic on rows as in evaluateByResources, and the filters are asked when a pod
// that concerns one of them is put back. Such a pod may be kept out by a filter whatever its
// priority is. The others above the bound are put back in any case, unless a pod up to it violates
// a budget: there is room for all pods above it while those up to it are away.

// evaluateSelectively finds the victims on a candidate where selective filters have a
// part in the choice (chapter 9).
func (w *Worker) evaluateSelectively(position int, n *state.NodeState, bound int32) {
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

// findConcerned marks the pods of a node, from an index on, that concern a filter. A pod
// that is marked is away for the filters until changeConcerned or letBack puts it back.
func (w *Worker) findConcerned(n *state.NodeState, from int) {
	w.concerned = state.Fill(w.concerned, len(n.Pods), false)
	w.plan.MarkConcerned(n, from, w.concerned)
}

// changeConcerned takes the marked pods away from the filters, or puts them back.
func (w *Worker) changeConcerned(n *state.NodeState, from, by int) {
	for i := from; i < len(n.Pods); i++ {
		if w.concerned[i] {
			w.Dry.ChangeAfterResources(n.Pods[i], by)
		}
	}
}
