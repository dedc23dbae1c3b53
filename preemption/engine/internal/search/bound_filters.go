package search

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// boundWithFilters bounds a node if filters after NodeResourcesFit have
// something to say, no pod touches a filter before it, and no nominated pod
// counts. If no pod of the node touches the later filters, their answer is the
// same whichever pods leave.
func (w *Worker) boundWithFilters(b *NodeBound, position int, slot int32, sum *state.NodeSummary) {
	n := w.snap.NodeStates[slot]
	b.before = w.Shortage(sum)
	if b.before != 0 {
		if !w.makesRoom(b, slot, sum) {
			return
		}
		if w.plan.Selective {
			b.Kind = unasked
			w.boundVictims(b, sum)
			return
		}
	}
	touched, _ := w.plan.AsksAboutFew(n)
	switch {
	case b.before == 0 && !touched && !w.statuses.any:
		w.boundWithRoom(b, n, sum)
		return
	case b.before == 0:
		w.boundByFilters(nodeAt{position, slot, sum, b}, true)
		return
	case touched && (w.rules.ascending || !w.helpsAtMostWithAll(n)):
		w.settle(b, position, n) // with all of them removed it may fail again
		b.Kind = Settled
		return
	}
	if touched {
		b.Kind = w.kindAmong(n)
	}
	if st := w.Dry.CheckWithoutPossible(n, touched); st.Code != filters.Success {
		b.Kind, b.after = Settled, w.after.intern(st)
		return
	}
	w.boundVictims(b, sum)
}

// asksLate reports that no filter is asked about nodes that are short of resources until their
// victims are wanted.
func (w *Worker) asksLate() bool { return w.plan.Selective && !w.need.anyPod }

// isShort reports that asksLate is about a node: no pod of it touches an earlier filter, and each
// is a unit by itself.
func (w *Worker) isShort(slot int32) bool {
	sum := w.sums.At(slot)
	return sum.Flags&state.AnyUnits == 0 && w.Shortage(sum) != 0 && !w.plan.Touched(w.snap.NodeStates[slot])
}

// kindAmong says what decides on the victims of a candidate where filters after
// NodeResourcesFit have something to say.
func (w *Worker) kindAmong(n *state.NodeState) boundKind {
	switch touched, few := w.plan.AsksAboutFew(n); {
	case !touched:
		return byResources
	case few && w.rules.byRows:
		return bySelection
	}
	return byFilters
}

// boundWithRoom bounds a node that is not short of resources and on which no
// pod touches the filters.
func (w *Worker) boundWithRoom(b *NodeBound, n *state.NodeState, sum *state.NodeSummary) {
	w.Dry.EnterAfterResources(n)
	st := w.Dry.CheckAfterResources()
	if st.Code == filters.Success {
		return
	}
	b.before = w.before.intern(st)
	switch {
	case st.Code != filters.Unschedulable:
	case !w.anyPossible(n):
		b.after = noVictims
	default:
		b.after = w.after.intern(st)
	}
}

// boundByFilters bounds a node by asking every filter. If the node is short of
// resources, the bounds hold as on other nodes. If another filter keeps the
// preemptor away, the node is evaluated at once, because that filter could
// contradict itself in the end (see filters.Contradiction), which has to be counted.
func (w *Worker) boundByFilters(at nodeAt, plain bool) {
	n, b, dry := w.snap.NodeStates[at.slot], at.b, &w.Dry
	dry.Enter(n)
	st := dry.Check()
	if st.Code == filters.Success {
		return
	}
	b.before = w.before.intern(st)
	if st.Code != filters.Unschedulable && !w.statuses.any {
		return
	}
	if st.By != filters.ResourcesFilter.Index || !plain || w.rules.ascending || !w.helpsAtMostWithAll(n) {
		w.settle(b, at.position, n)
		return
	}
	if !w.helpsWithoutAll(b) {
		return
	}
	w.makesRoom(b, at.slot, at.sum)
	b.Kind = byFilters
	w.boundVictims(b, at.sum)
}

// helpsAtMostWithAll reports that a node which does not take the preemptor with all possible
// victims gone is no candidate. Among exact victims may be a smaller set that helps,
// where a pod of the node touches a filter that can lose by a pod that leaves.
func (w *Worker) helpsAtMostWithAll(n *state.NodeState) bool {
	return !w.terms.Exact || w.attempt.GainsOn(n)
}

// helpsWithoutAll reports whether the node that was entered takes the preemptor once all
// possible victims are away, and notes in the bound why not.
func (w *Worker) helpsWithoutAll(b *NodeBound) bool {
	dry := &w.Dry
	possible := dry.Possible()
	if len(possible) == 0 {
		b.after = noVictims
		return false
	}
	dry.ChangeAll(possible, -1)
	st := dry.Check()
	dry.RestoreAll(possible)
	if st.Code != filters.Success {
		b.after = w.after.intern(st)
		return false
	}
	return true
}
