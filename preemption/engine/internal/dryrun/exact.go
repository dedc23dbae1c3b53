package dryrun

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// exact finds the best set of victims by the ranks (group 13.4). All pods are on the node when it
// begins, and all but the victims when it ends.
//
// The search (package exact) works on amounts, priorities and budgets alone where no pod of the
// node touches another filter than NodeResourcesFit. Where pods touch filters that can only gain from
// a pod that leaves, the pods that must leave in any case are found first. If the filters pass
// without these, they pass without any more, and the rest depends on resources again. Everywhere else
// the filters are asked about each set that the ranks leave open. ENGINE.md has the bounds and the
// proofs.
func (w *DryRunner) exact(possible []*state.PodState) filters.Status {
	w.Victim = state.Fill(w.Victim, len(possible), false)
	search := &w.sets
	if search.recall(w.N, w.Victim) {
		w.removeVictims(possible)
		return filters.Status{}
	}
	if w.A.ended() {
		return ended // the whole answer is dropped
	}

	// Where the node takes the preemptor with everybody on it, there are no victims: a candidate
	// without any by v1.13 (rule 13.2.11), otherwise a filter that contradicts itself (rule 9.9).
	search.ask(w, possible)
	if w.Check().Code == filters.Success {
		if w.terms.ByVariant().TakesFree {
			return filters.Status{}
		}
		return w.contradiction()
	}

	// If the filters can only gain from a pod that leaves, and refuse with all of them gone, no
	// set helps. Elsewhere a smaller set may help though all of them gone do not (rule 13.4.4).
	w.ChangeAll(possible, -1)
	all := w.Check()
	search.q.Helps = all.Code == filters.Success
	if !search.q.Helps && search.q.Gains {
		w.ChangeAll(possible, 1)
		return all
	}
	return w.solve(possible, all)
}

// solve has package exact search for the best set, and removes it. All possible victims are away when it
// begins, and the filters say all of them.
func (w *DryRunner) solve(possible []*state.PodState, all filters.Status) filters.Status {
	search := &w.sets
	score, ok := search.solve(w.Victim)
	w.noteOpen(&search.found)
	if !ok {
		if all.Code == filters.Success { // sets make room, and each of them violates a budget
			all = StrictStatus
		}
		return all
	}

	search.remember(w.Victim, score)
	w.removeVictims(possible)
	return filters.Status{}
}

// ended is the status of a node that is asked after the end of the context.
var ended = filters.Status{Code: filters.Unschedulable, By: filters.ByNone, Text: []string{"not searched"}}

// removeVictims removes the marked pods, and charges the budgets for them (rule 13.4.2).
func (w *DryRunner) removeVictims(possible []*state.PodState) {
	w.ChangeMarked(possible, w.Victim, -1)
	w.chargeVictims(possible)
}

// violating marks the possible victims that violate a budget if all of them leave. The marks last
// until the next call of violating or reprieved.
func (w *DryRunner) violating(possible []*state.PodState) []bool {
	w.spared = state.Fill(w.spared, len(possible), false)
	w.noteViolated(possible, func(int) bool { return true })
	for i := range possible {
		w.spared[i] = w.violated[i] > 0
	}
	return w.spared
}

// reprieved marks the possible victims that a reprieve leaves away (rules 9.5 and 9.6). All of them
// are away before the call and after it.
func (w *DryRunner) reprieved(possible []*state.PodState) []bool {
	w.violating(possible) // notes what each violates
	clear(w.spared)       // nobody is spared: the reprieve looks at everybody

	w.Victim = state.Fill(w.Victim, len(possible), true)
	w.reprieveAll(possible)

	for i, p := range possible {
		if w.spared[i] = w.Victim[i]; !w.Victim[i] {
			w.Change(p, -1)
		}
		w.Victim[i], w.blocks[i] = false, filters.Status{}
	}
	return w.spared
}

// noteOpen lists the node if its search ended at the limit.
func (w *DryRunner) noteOpen(found *foundSet) {
	if !found.open {
		return
	}
	for i := range w.Open {
		if w.Open[i].n == w.N {
			return // it was searched before, with the same result
		}
	}
	w.Open = append(w.Open, OpenNode{w.N, found.bound})
}

// certificate returns the certificate of the candidate that was found last, among the sets of its
// node.
func (w *DryRunner) certificate(sc *preemption.Score) *preemption.Certificate {
	return w.A.certifySet(sc, &w.sets.found)
}

// certifySet returns the certificate of a set with a score, given what the search found on its node.
func (a *Attempt) certifySet(sc *preemption.Score, found *foundSet) *preemption.Certificate {
	var bound *Score
	if found.open {
		bound = &found.bound
	}

	c := a.certify(sc, bound)
	if c.Steps = found.steps; !c.Optimal {
		c.Unsolved = 1 // the node itself
	}
	return c
}
