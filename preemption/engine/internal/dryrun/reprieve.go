package dryrun

import (
	"strconv"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// reprieveAll puts back the pods with which the preemptor still fits: first those that violate a budget, then
// the others (rule 9.6). The pods that stay removed are the victims; it reports whether there are any.
func (w *DryRunner) reprieveAll(possible []*state.PodState) (victims bool) {
	w.noteViolating()
	w.guardFollows(possible, false)

	victims = w.reprieve(possible, true)
	victims = w.reprieve(possible, false) || victims

	w.guardFollows(possible, true)
	return victims
}

// reprieve tries the pods that violate a budget or, without violating, the others, the most important first.
// A pod, or a whole unit, is put back if the preemptor still fits with it (rule 9.5). It reports whether any
// of them stay removed.
func (w *DryRunner) reprieve(possible []*state.PodState, violating bool) (victims bool) {
	for from, to := 0, 0; from < len(possible); from = to {
		to = w.unitEnd(from)
		// Spared pods are back already, even if they violate a budget.
		if w.violates(from) != violating || w.spared[from] {
			continue
		}

		s := w.putBack(possible[from:to])
		away := s.Code != filters.Success
		victims = victims || away
		for i := from; i < to; i++ {
			w.Victim[i], w.blocks[i] = away, s
		}
	}
	return victims
}

// noteViolated sets w.violated: the number of budgets that the loss of each possible victim violates, if
// exactly the pods leave for which leaves is true. Budgets are charged for the most important pod first.
func (w *DryRunner) noteViolated(possible []*state.PodState, leaves func(i int) bool) {
	for i, p := range possible {
		w.violated[i] = 0
		if leaves(i) {
			w.violated[i] = len(w.Budgets.Charge(p))
		}
	}

	w.Budgets.Reset()
}

// chargeVictims sets w.violated with the budgets charged for the actual victims alone.
func (w *DryRunner) chargeVictims(possible []*state.PodState) {
	w.noteViolated(possible, func(i int) bool { return w.Victim[i] })
}

// violates reports whether a possible victim, or a pod of its unit, violates a budget. Such pods
// are put back before the others.
func (w *DryRunner) violates(i int) bool {
	if len(w.units) == 0 {
		return w.violated[i] > 0
	}
	return w.unitAt(i).violates
}

// contradiction returns the status of a node on which every possible victim could be put back although the
// node had turned the preemptor away (rule 9.9).
func (w *DryRunner) contradiction() filters.Status {
	return filters.Status{Code: filters.Contradiction, By: filters.ByNone, Text: []string{filters.ReasonContradicts + " " + strconv.Quote(w.N.Name)}}
}
