package dryrun

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// exact finds the best set of victims by the ranks (group 13.4; Policy Exact). All pods
// are on the node, and in the end all but the victims are.
//
// The search (package exact) works on amounts, priorities and budgets alone where no pod of the
// node touches another filter than NodeResourcesFit. Where pods do, and the filters that they
// touch can only gain from a pod that leaves, the pods that have to leave in any case are
// found first; if the filters pass without these, they pass without any more, and the
// rest is resources again. Everywhere else the filters are asked about each set that the
// ranks leave open. ENGINE.md has the bounds and the proofs.
func (w *DryRunner) exact(possible []*state.PodState) filters.Status {
	w.Victim = state.Fill(w.Victim, len(possible), false)
	x := &w.sets
	if x.recall(w.N, w.Victim) {
		w.removeVictims(possible)
		return filters.Status{}
	}
	if w.A.ended() {
		return ended // the whole answer is dropped
	}
	x.ask(w, possible)
	if w.Check().Code == filters.Success {
		if w.terms.ByVariant().TakesFree { // nobody has to leave
			return filters.Status{}
		}
		return w.contradiction()
	}
	w.ChangeAll(possible, -1)
	all := w.Check()
	if x.q.Helps = all.Code == filters.Success; !x.q.Helps && x.q.Gains {
		w.ChangeAll(possible, 1)
		return all
	}
	x.search.Solve()
	x.end()
	w.noteOpen(&x.found)
	set, score, ok := x.search.Best()
	if !ok {
		if all.Code == filters.Success {
			all = StrictStatus
		}
		return all
	}
	for i := range x.q.Items {
		if set[i] {
			for k := x.q.Items[i].From; k < x.q.Items[i].To; k++ {
				w.Victim[k] = true
			}
		}
	}
	x.remember(w.Victim, scoreOfSet(&score))
	w.removeVictims(possible)
	return filters.Status{}
}

// ended is what a node answers after the end of the context.
var ended = filters.Status{Code: filters.Unschedulable, By: filters.ByNone, Text: []string{"not searched"}}

func (w *DryRunner) removeVictims(possible []*state.PodState) {
	w.ChangeMarked(possible, w.Victim, -1)
	w.chargeVictims(possible)
}

// violating marks the possible victims that violate a budget if all of them leave.
func (w *DryRunner) violating(possible []*state.PodState) []bool {
	w.spared = state.Fill(w.spared, len(possible), false)
	w.noteViolated(possible, func(int) bool { return true })
	for i := range possible {
		w.spared[i] = w.violated[i] > 0
	}
	return w.spared
}

// reprieved returns which of the possible victims the reprieve leaves. All of them are away
// before and afterwards.
func (w *DryRunner) reprieved(possible []*state.PodState) []bool {
	w.violating(possible)
	clear(w.spared)
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

// noteOpen keeps what is known of a node that was not searched to the end.
func (w *DryRunner) noteOpen(f *foundSet) {
	if !f.open {
		return
	}
	for i := range w.Open {
		if w.Open[i].n == w.N {
			return // the search is the same whenever it is made
		}
	}
	w.Open = append(w.Open, OpenNode{w.N, f.bound})
}

// certificate is that of the candidate found last.
func (w *DryRunner) certificate(sc *preemption.Score) *preemption.Certificate {
	f := &w.sets.found
	var bound *Score
	if f.open {
		bound = &f.bound
	}
	c := w.A.certify(sc, bound)
	if c.Steps = f.steps; !c.Optimal {
		c.Unsolved = 1
	}
	return c
}
