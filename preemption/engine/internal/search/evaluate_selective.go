package search

import (
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// A filter that says which pods concern it answers the same whichever others leave.
// Where pods of the node touch no other filters than these, the dry run is
// arithmetic on rows as in evaluateByResources, and the filters are asked when a pod
// that concerns one of them is put back. A filter may keep such a pod away whatever the pod's
// priority is. The other pods above the bound are put back in any case, unless a pod up to the bound
// violates a budget: there is room for all pods above while those up to the bound are away.

// evaluateSelectively finds the victims on a candidate where selective filters have a
// part in the choice (chapter 9).
func (w *Worker) evaluateSelectively(position int, n *state.NodeState, bound int32) {
	// With all possible victims away that concern a filter, the filters pass or the node is out (rule 9.3).
	// They are back in the end, since the state of the caller's filters has to be right for the next node.
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

	// Unless a pod up to the bound violates a budget, the pods above that concern no filter are put back in
	// any case, and it does not matter whether one of them violates a budget.
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

// findConcerned marks the pods of a node, from an index on, that concern a filter. A marked pod
// is away for the filters once changeConcerned has taken it away, until letBack removes its mark or
// changeConcerned puts it back.
func (w *Worker) findConcerned(n *state.NodeState, from int) {
	w.concerned = state.Fill(w.concerned, len(n.Pods), false)
	w.plan.MarkConcerned(n, from, w.concerned)
}

// changeConcerned takes the marked pods away from the filters (by is -1), or puts them back (1).
func (w *Worker) changeConcerned(n *state.NodeState, from, by int) {
	for i := from; i < len(n.Pods); i++ {
		if w.concerned[i] {
			w.Dry.ChangeAfterResources(n.Pods[i], by)
		}
	}
}
