package dryrun

import (
	"strconv"

	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/preemption/internal/state"
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
	x.ask(w, possible)
	if w.Check().Code == decision.Success {
		return w.contradiction() // nobody has to leave
	}
	w.ChangeAll(possible, -1)
	all := w.Check()
	if x.q.Helps = all.Code == decision.Success; !x.q.Helps && x.q.Gains {
		w.ChangeAll(possible, 1)
		return all
	}
	x.search.Solve()
	x.end()
	w.noteOpen(&x.found)
	set, score, ok := x.search.Best()
	if !ok {
		if all.Code == decision.Success {
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
	x.remember(w.Victim, publicScore(&score))
	w.removeVictims(possible)
	return filters.Status{}
}

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

// contradiction is the status of a node on which nobody has to leave.
func (w *DryRunner) contradiction() filters.Status {
	return filters.Status{Code: decision.Contradiction, By: filters.ByNone, Text: []string{filters.ReasonContradicts + " " + strconv.Quote(w.N.Name)}}
}

// OpenNode is a node whose search ended at the limit, with a score that no candidate on
// it beats.
type OpenNode struct {
	n     *state.NodeState
	bound decision.Score
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

// release drops what belongs to the caller.
func (x *setSearch) release() {
	x.search.Release()
	x.w, x.possible, x.found, x.best = nil, nil, foundSet{}, foundSet{victim: x.best.victim}
	clear(x.listed[:cap(x.listed)])
}

// foundSet is what a search has found on a node.
type foundSet struct {
	n      *state.NodeState
	victim []bool // by possible victim
	score  decision.Score
	// bound is a score that no set beats, where the limit ended the search (open).
	bound decision.Score
	steps int
	open  bool
}

// end notes what the search came to.
func (x *setSearch) end() {
	x.found = foundSet{n: x.w.N, steps: x.search.Steps()}
	if bound, open := x.search.Open(); open {
		x.found.bound, x.found.open = publicScore(&bound), true
	}
}

// remember keeps the set that was found, if it is the best one of the attempt, which is wanted
// once more in the end.
func (x *setSearch) remember(victim []bool, score decision.Score) {
	if x.best.n != nil {
		if order, _ := CompareScores(&score, &x.best.score, x.w.A.Ranks); order >= 0 {
			return
		}
	}
	victim = append(x.best.victim[:0], victim...)
	x.best = x.found
	x.best.victim, x.best.score = victim, score
}

// recall marks the victims that were found on the node before, if it is remembered.
func (x *setSearch) recall(n *state.NodeState, victim []bool) bool {
	if x.best.n != n {
		return false
	}
	copy(victim, x.best.victim)
	x.found = x.best
	x.found.victim = nil
	return true
}

// publicScore returns the score of a set, or a bound, as callers see it.
func publicScore(sc *exact.Score) decision.Score {
	return decision.Score{
		Violations: int(sc.Violations), TopPriority: sc.Top, PrioritySum: sc.Sums[0], Victims: int(sc.Parts),
		Cost: sc.Sums[1], Start: rank.Instant{Sec: sc.Start.Sec, Nsec: sc.Start.Nsec}.Time(),
	}
}

// certificate is that of the candidate found last.
func (w *DryRunner) certificate(sc *decision.Score) *decision.Certificate {
	f := &w.sets.found
	if !f.open {
		return certify(sc, sc, w.A.Ranks, f.steps, 0)
	}
	return certify(sc, &f.bound, w.A.Ranks, f.steps, 1)
}

// CertifyAll is the certificate of a whole decision: of the chosen candidate, nil if
// there is none, among the candidates of all nodes, some of which are open.
func (a *Attempt) CertifyAll(chosen *decision.Candidate, open []OpenNode) *decision.Certificate {
	if !a.Config.Exact() || chosen != nil && chosen.Certificate == nil {
		return nil
	}
	var bound *decision.Score
	steps, unsolved := 0, 0
	if chosen != nil {
		bound, steps = &chosen.Score, chosen.Certificate.Steps
	}
	for i := range open {
		b := &open[i].bound
		if chosen != nil {
			if order, _ := CompareScores(b, &chosen.Score, a.Ranks); order >= 0 {
				continue
			}
		}
		unsolved++
		if bound == nil {
			bound = b
		} else if order, _ := CompareScores(b, bound, a.Ranks); order < 0 {
			bound = b
		}
	}
	switch {
	case chosen != nil:
		return certify(&chosen.Score, bound, a.Ranks, steps, unsolved)
	case bound != nil:
		return &decision.Certificate{Bound: *bound, Unsolved: unsolved}
	}
	return &decision.Certificate{Optimal: true}
}
