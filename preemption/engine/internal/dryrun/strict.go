package dryrun

import (
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// StrictStatus is that of a node on which the possible victims make room, but not
// without a violation (rule 13.5.2).
var StrictStatus = filters.Status{
	Code: filters.Unschedulable, By: filters.ByNone,
	Text: []string{"making room would violate a disruption budget"},
}

// spare finds the possible victims that stay because of their budgets, where none may be
// violated: budgets are charged from the least important pod up, and a pod, or a unit,
// that a budget has no allowance for is spared (rule 13.5.1). It reports whether there
// are any, which w.spared then marks.
func (w *DryRunner) spare(possible []*state.PodState) (any bool) {
	w.spared = state.Fill(w.spared, len(possible), false)
	for to := len(possible); to > 0; {
		from := w.unitStart(to - 1)
		if !w.allowed(possible[from:to]) {
			any = true
			for i := from; i < to; i++ {
				w.spared[i] = true
			}
		}
		to = from
	}
	clear(w.used)
	return any
}

// allowed takes pods that leave together from their budgets, if all of these allow it.
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

// takeAllowance is allowed for one pod.
func (w *DryRunner) takeAllowance(p *state.PodState) bool {
	if w.terms.budgetRules().uncharged {
		return len(w.Budgets.Charge(p)) == 0
	}
	for _, b := range w.Budgets.coveredBy(p) {
		if int64(w.snap.BudgetSet.List[b].DisruptionsAllowed)-w.used[b] < 1 {
			return false
		}
	}
	w.countAllowance(p, 1)
	return true
}

func (w *DryRunner) countAllowance(p *state.PodState, by int64) {
	if w.terms.budgetRules().uncharged {
		return
	}
	for _, b := range w.Budgets.coveredBy(p) {
		w.used[b] += by
	}
}

// addSpared puts the spared pods back, for good, and returns why the preemptor does not
// fit beside them.
func (w *DryRunner) addSpared(possible []*state.PodState) filters.Status {
	if !w.spare(possible) {
		return filters.Status{}
	}
	w.ChangeMarked(possible, w.spared, 1)
	for i := range possible {
		w.Victim[i] = w.Victim[i] && !w.spared[i]
	}
	if w.Check().Code != filters.Success {
		return StrictStatus
	}
	return filters.Status{}
}

// strictEnd returns the status where the possible victims were taken one by one but for the
// spared ones, and s was said in the end. Where all are spared, and the node takes the
// preemptor by now, nobody has to leave.
func (w *DryRunner) strictEnd(possible []*state.PodState, s filters.Status) filters.Status {
	switch {
	case s.Code != filters.Success:
		return w.withoutSpared(possible)
	case !slices.Contains(w.Victim, true):
		return w.contradiction()
	}
	return s
}

// withoutSpared returns why a node does not help whose possible victims have all been
// taken but for the spared ones: because of these or of something else. They stay on the
// node.
func (w *DryRunner) withoutSpared(possible []*state.PodState) filters.Status {
	w.ChangeMarked(possible, w.spared, -1)
	s := w.Check()
	w.ChangeMarked(possible, w.spared, 1)
	if s.Code == filters.Success {
		return StrictStatus
	}
	return s
}

// strictly refuses what the caller's rule has chosen if that violates a budget and the
// policy is strict.
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
