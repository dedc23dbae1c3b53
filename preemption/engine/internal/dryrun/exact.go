package dryrun

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// exact finds the best set of victims by the ranks (group 13.4). All pods are on the node when it
// begins, and all but the victims when it ends.
//
// If pods of the node can change the answer of no filter but NodeResourcesFit, the search (package exact)
// works on amounts, priorities and budgets alone. If the filters concerned can only gain by a pod that
// leaves, the pods that must leave in any case are found first. Once the filters pass without these, they
// pass with more pods gone, and the rest depends on resources again. Otherwise the filters are asked about
// each set that the ranks leave open. ENGINE.md has the bounds and the proofs.
func (w *DryRunner) exact(possible []*state.PodState) filters.Status {
	w.Victim = state.Fill(w.Victim, len(possible), false)
	search := &w.sets
	if search.recall(w.N, w.Victim) {
		w.removeVictims(possible)
		return filters.Status{}
	}
	if w.A.ended() {
		return ended // the caller discards the whole answer
	}

	// If the node takes the preemptor with all pods on it, there are no victims. By v1.13 that is a candidate
	// (rule 13.2.11), otherwise a filter contradicts itself (rule 9.9).
	search.ask(w, possible)
	if w.Check().Code == filters.Success {
		if w.terms.ByVariant().TakesFree {
			return filters.Status{}
		}
		return w.contradiction()
	}

	// If the filters can only gain by a pod that leaves, and fail with all of them gone, no set helps.
	// Otherwise a smaller set may help although the set of all does not (rule 13.4.4).
	w.ChangeAll(possible, -1)
	all := w.Check()
	search.q.Helps = all.Code == filters.Success
	if !search.q.Helps && search.q.Gains {
		w.ChangeAll(possible, 1)
		return all
	}
	return w.solve(possible, all)
}

// solve lets package exact search for the best set, and removes it. All possible victims are removed when it
// begins, and all is the filters' answer in that state.
func (w *DryRunner) solve(possible []*state.PodState, all filters.Status) filters.Status {
	search := &w.sets
	score, ok := search.solve(w.Victim)
	w.noteOpen(&search.found)
	if !ok {
		if all.Code == filters.Success { // sets make room, but each violates a budget
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

// violating marks the possible victims that violate a budget if all of them leave. The marks are valid until
// the next call of violating or reprieved.
func (w *DryRunner) violating(possible []*state.PodState) []bool {
	w.spared = state.Fill(w.spared, len(possible), false)
	w.noteViolated(possible, func(int) bool { return true })
	for i := range possible {
		w.spared[i] = w.violated[i] > 0
	}
	return w.spared
}

// reprieved marks the possible victims that a reprieve does not put back (rules 9.5 and 9.6). All of them are
// removed before the call and after it.
func (w *DryRunner) reprieved(possible []*state.PodState) []bool {
	w.violating(possible) // for w.violated
	clear(w.spared)       // no pod is spared, so that the reprieve tries all

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

// noteOpen adds the node to w.Open if its search ended at the limit.
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

// certificate returns the certificate of the last candidate, among the sets of its node.
func (w *DryRunner) certificate(sc *preemption.Score) *preemption.Certificate {
	return w.A.certifySet(sc, &w.sets.found)
}

// certifySet returns the certificate of a set with this score, given what the search found on its node.
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
