package dryrun

import (
	"strconv"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// reprieveAll puts back the pods with which the preemptor still fits, and reports whether
// others are left: the victims.
func (w *DryRunner) reprieveAll(possible []*state.PodState) (victims bool) {
	w.noteViolating()
	w.guardFollows(possible, false)
	victims = w.reprieve(possible, true)
	victims = w.reprieve(possible, false) || victims
	w.guardFollows(possible, true)
	return victims
}

// reprieve puts back, the most important first and each with those that leave with it, those
// who violate a budget or those who do not, as far as the preemptor still fits. It reports
// whether any had to go again.
func (w *DryRunner) reprieve(possible []*state.PodState, violating bool) (victims bool) {
	for from, to := 0, 0; from < len(possible); from = to {
		to = w.unitEnd(from)
		if w.violates(from) != violating || w.spared[from] {
			continue
		}
		s := w.putBack(possible[from:to])
		victims = victims || s.Code != filters.Success
		for i := from; i < to; i++ {
			w.Victim[i], w.blocks[i] = s.Code != filters.Success, s
		}
	}
	return victims
}

// noteViolated notes for each of the possible victims how many budgets its loss violates,
// where the pods leave for which leaves is true, the most important first.
func (w *DryRunner) noteViolated(possible []*state.PodState, leaves func(i int) bool) {
	for i, p := range possible {
		w.violated[i] = 0
		if leaves(i) {
			w.violated[i] = len(w.Budgets.Charge(p))
		}
	}
	w.Budgets.Reset()
}

// chargeVictims charges the budgets for the victims alone, the most important first.
func (w *DryRunner) chargeVictims(possible []*state.PodState) {
	w.noteViolated(possible, func(i int) bool { return w.Victim[i] })
}

// violates reports whether a possible victim is among those that are put back first.
func (w *DryRunner) violates(i int) bool {
	if len(w.units) == 0 {
		return w.violated[i] > 0
	}
	return w.unitAt(i).violates
}

// contradiction is the status of a node on which nobody has to leave.
func (w *DryRunner) contradiction() filters.Status {
	return filters.Status{Code: filters.Contradiction, By: filters.ByNone, Text: []string{filters.ReasonContradicts + " " + strconv.Quote(w.N.Name)}}
}
