package search

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Filters beside NodeResourcesFit never invalidate the bounds, because victims have to make room whatever
// other filters there are. The filters only decide whether the node is a candidate at all. There are three
// ways to find that out, the cheapest first:
//
//   - boundBesideLateFilters asks the filters after NodeResourcesFit once, or not before victims are wanted.
//   - boundByAskingFilters asks all filters, with all pods in place and with the possible victims removed.
//   - settle evaluates the node at once.
//
// The last is for nodes where a filter other than NodeResourcesFit fails. Such a filter can contradict
// itself: it fails with all pods in place, and passes again after each of them has been put back. Nodes
// without victims are reported (rule 9.9), so that none of them may be pruned. A node that is short of
// resources is short again with all pods back, and so has at least one victim.

// boundBesideLateFilters bounds a node if filters after NodeResourcesFit have something to say, no pod can
// change the answer of a filter before it, and no nominated pod counts.
func (w *Worker) boundBesideLateFilters(p prospect) {
	b, n := p.bound, w.snap.NodeStates[p.slot]
	if b.before = w.Shortage(p.sum); b.before == 0 {
		w.boundWithRoom(p, n)
		return
	}
	if !w.makesRoom(b, p.slot, p.sum) {
		return
	}
	if w.plan.Selective {
		b.Kind = unasked
		w.boundVictims(b, p.sum)
		return
	}

	// Without reprieve, or if exact victims are searched for, a filter may pass with some of the possible
	// victims gone and fail with all of them gone. Then the check below would not tell whether the node is a
	// candidate.
	kind := w.kindAmong(n)
	touched := kind != byResources
	if touched && (w.rules.ascending || !w.helpsAtMostWithAll(n)) {
		w.settle(b, p.position, n)
		b.Kind = Settled
		return
	}

	// If no pod of the node can change the answers of the late filters, resources alone decide on the
	// victims. Otherwise the reprieve begins with all possible victims gone (rule 9.3), so that a node which
	// fails then is no candidate.
	if st := w.Dry.CheckWithoutPossible(n, touched); st.Code != filters.Success {
		b.Kind = Settled
		b.after = w.after.intern(st)
		return
	}
	b.Kind = kind
	w.boundVictims(b, p.sum)
}

// kindAmong returns what decides on the victims of a candidate if filters after NodeResourcesFit have
// something to say.
func (w *Worker) kindAmong(n *state.NodeState) boundKind {
	switch touched, few := w.plan.AsksAboutFew(n); {
	case !touched:
		return byResources
	case few && w.rules.byRows:
		return bySelection
	}
	return byFilters
}

// boundWithRoom is boundBesideLateFilters for a node that is not short of resources. If no pod can change the
// answers of the late filters, one check is enough, because it gives the same result whichever pods leave. If
// the caller gave the statuses, preemption is tried even on nodes that take the preemptor.
func (w *Worker) boundWithRoom(p prospect, n *state.NodeState) {
	if touched, _ := w.plan.AsksAboutFew(n); touched || w.statuses.any {
		w.boundByAskingFilters(p, true)
		return
	}

	w.Dry.EnterAfterResources(n)
	st := w.Dry.CheckAfterResources()
	if st.Code == filters.Success {
		return
	}
	b := p.bound
	b.before = w.before.intern(st)
	switch {
	case st.Code != filters.Unschedulable: // preemption is not tried
	case !w.anyPossible(n):
		b.after = noVictims
	default:
		b.after = w.after.intern(st)
	}
}

// boundByAskingFilters bounds a node by asking every filter, with all pods in place and then with the
// possible victims removed. plain is set if the summary of the node tells what is free.
func (w *Worker) boundByAskingFilters(p prospect, plain bool) {
	n, b := w.snap.NodeStates[p.slot], p.bound
	short, failed := w.shortByFilters(b, n)
	if !failed {
		return
	}

	// No bound is valid if the node may contradict itself, if the summary does not tell what is free, or if
	// the check without all possible victims does not tell whether the node is a candidate.
	if !short || !plain || w.rules.ascending || !w.helpsAtMostWithAll(n) {
		w.settle(b, p.position, n)
		return
	}
	if !w.helpsWithoutAll(b) {
		return
	}

	// There is room with the possible victims gone, so that makesRoom always finds a bound on the top
	// priority.
	w.makesRoom(b, p.slot, p.sum)
	b.Kind = byFilters
	w.boundVictims(b, p.sum)
}

// shortByFilters enters a node and asks every filter about it. failed reports whether one fails in such a way
// that preemption is to be tried, and short whether that one is NodeResourcesFit. The node's answer goes into
// b.
func (w *Worker) shortByFilters(b *NodeBound, n *state.NodeState) (short, failed bool) {
	dry := &w.Dry
	dry.Enter(n)
	st := dry.Check()
	if st.Code == filters.Success {
		return false, false
	}
	b.before = w.before.intern(st)
	if st.Code != filters.Unschedulable && !w.statuses.any {
		return false, false
	}
	return st.By == filters.ResourcesFilter.Index, true
}

// helpsAtMostWithAll reports whether it is certain that a node is no candidate if it does not take the
// preemptor with all possible victims gone. That is not certain in a search for exact victims: a smaller set
// may help if the leaving of a pod can make some filter fail.
func (w *Worker) helpsAtMostWithAll(n *state.NodeState) bool {
	return !w.terms.Exact || w.attempt.GainsOn(n)
}

// helpsWithoutAll reports whether the entered node takes the preemptor once all possible victims are gone. If
// not, the reason goes into b.
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

// asksLate reports whether nodes that are short of resources are not asked by other filters until their
// victims are wanted.
func (w *Worker) asksLate() bool { return w.plan.Selective && !w.need.anyPod }

// asksLateAbout reports whether asksLate applies to a node: it is short of resources, none of its pods can
// change the answer of an earlier filter, and each pod is a unit by itself.
func (w *Worker) asksLateAbout(slot int32) bool {
	sum := w.sums.At(slot)
	return sum.Flags&state.AnyUnits == 0 && w.Shortage(sum) != 0 && !w.plan.Touched(w.snap.NodeStates[slot])
}
