package dryrun

import (
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// StrictStatus is the status of a node on which the possible victims make room, but only by violating a
// budget (rule 13.5.2).
var StrictStatus = filters.Status{
	Code: filters.Unschedulable, By: filters.ByNone,
	Text: []string{"making room would violate a disruption budget"},
}

// spare marks in w.spared the possible victims that have to stay because no budget may be violated, and
// reports whether there are any. Budgets are charged from the least important pod up. A pod or unit is spared
// if a budget that covers it has nothing left. It then takes nothing from other budgets (rule 13.5.1).
func (w *DryRunner) spare(possible []*state.PodState) (any bool) {
	w.spared = state.Fill(w.spared, len(possible), false)
	for from, to := 0, len(possible); to > 0; to = from {
		from = w.unitStart(to - 1)
		if w.allowed(possible[from:to]) {
			continue
		}
		any = true
		for i := from; i < to; i++ {
			w.spared[i] = true
		}
	}
	clear(w.used)
	return any
}

// allowed charges the budgets for pods that leave together, and reports whether the budgets allow it. If not,
// nothing is charged.
func (w *DryRunner) allowed(pods []*state.PodState) bool {
	if w.used == nil {
		w.used = map[int32]int64{}
	}
	for i, p := range pods {
		if w.takeAllowance(p) {
			continue
		}
		for _, q := range pods[:i] {
			w.countAllowance(q, -1)
		}
		return false
	}
	return true
}

// takeAllowance is allowed for a single pod.
func (w *DryRunner) takeAllowance(p *state.PodState) bool {
	if w.terms.budgetRules().uncharged {
		return len(w.Budgets.Charge(p)) == 0
	}

	snap := w.snap
	for _, b := range w.Budgets.coveredBy(p) {
		if int64(snap.BudgetSet.List[b].DisruptionsAllowed)-w.used[b] < 1 {
			return false
		}
	}
	w.countAllowance(p, 1)
	return true
}

// countAllowance adds by to the numbers of pods that the pod's budgets have let go.
func (w *DryRunner) countAllowance(p *state.PodState, by int64) {
	if w.terms.budgetRules().uncharged {
		return
	}
	for _, b := range w.Budgets.coveredBy(p) {
		w.used[b] += by
	}
}

// addSpared puts the spared pods back for good. If the preemptor does not fit beside them, the node is no
// candidate (rule 13.5.2). All possible victims must be removed before the call.
func (w *DryRunner) addSpared(possible []*state.PodState) filters.Status {
	if !w.spare(possible) {
		return filters.Status{}
	}

	w.ChangeMarked(possible, w.spared, 1)
	for i := range possible {
		w.Victim[i] = !w.spared[i]
	}
	if w.Check().Code != filters.Success {
		return StrictStatus
	}
	return filters.Status{}
}

// strictEnd returns the status after an ascent that skipped spared pods and ended with s. If no pod was taken
// and the node takes the preemptor now, a filter contradicts itself.
func (w *DryRunner) strictEnd(possible []*state.PodState, s filters.Status) filters.Status {
	switch {
	case s.Code != filters.Success:
		return w.withoutSpared(possible)
	case !slices.Contains(w.Victim, true):
		return w.contradiction()
	}
	return s
}

// withoutSpared returns why a node does not help although all possible victims but the spared ones are
// removed. The reason is the budgets if the node would take the preemptor without the spared pods as well.
// These are on the node again afterwards.
func (w *DryRunner) withoutSpared(possible []*state.PodState) filters.Status {
	w.ChangeMarked(possible, w.spared, -1)
	s := w.Check()
	w.ChangeMarked(possible, w.spared, 1)
	if s.Code == filters.Success {
		return StrictStatus
	}
	return s
}

// strictly rejects the victims that the caller's rule has chosen if the policy is strict and they violate a
// budget (rule 13.5.4).
func (w *DryRunner) strictly(possible []*state.PodState) filters.Status {
	if !w.terms.Strict || !slices.ContainsFunc(w.violated[:len(possible)], func(n int) bool { return n > 0 }) {
		return filters.Status{}
	}

	w.RestoreVictims(possible)
	for i := range possible {
		w.Victim[i], w.violated[i] = false, 0
	}
	return StrictStatus
}
