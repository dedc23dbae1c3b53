package dryrun

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Score returns the score of the victims of the last dry run (chapter 11). possible is what that returned.
func (w *DryRunner) Score(possible []*state.PodState) Score {
	w.chosen = w.chosen[:0]
	violations, firstViolating := 0, -1
	reads := w.terms.ReadsFirst()
	for i, p := range possible {
		if !w.Victim[i] {
			continue
		}
		if reads && firstViolating < 0 && w.violates(i) {
			firstViolating = len(w.chosen)
		}
		w.chosen = append(w.chosen, p)
		violations += w.Budgets.Violations(w.violated[i])
	}

	// By v1.13 the top priority is that of the victim found first, and victims that violate a budget are
	// found before all others (rule 13.2.3).
	sc := w.A.ScoreOf(w.chosen, violations)
	if firstViolating >= 0 {
		sc.Top = w.chosen[firstViolating].Priority()
	}
	return sc
}

// Candidate returns the candidate of the last dry run, which must have succeeded. possible is what that
// returned.
func (w *DryRunner) Candidate(possible []*state.PodState) preemption.Candidate {
	sc := w.Score(possible)
	c := preemption.Candidate{Node: w.N.Name, Score: w.A.Tell(&sc)}

	// Blocks is what the preemptor fails with if the victim comes back. A reprieve and an ascent find it on
	// the way. Otherwise each victim is put back once more to find it.
	if w.terms.Chooser != nil || w.terms.Exact {
		w.blocksOfChosen(possible)
	}
	if w.terms.Exact {
		told := c.Score // a copy, so that c stays off the heap
		c.Certificate = w.certificate(&told)
	}

	c.Victims = make([]preemption.Victim, 0, c.Score.Victims)
	for i, p := range possible {
		if w.Victim[i] {
			c.Victims = append(c.Victims, preemption.Victim{Pod: p.Located(), Priority: p.Priority(), Blocks: w.A.Public(w.blocks[i])})
		}
	}
	w.tellUnits(possible, c.Victims)
	if w.A.ruled() {
		w.NameRules(w.markedOf(possible), c.Victims)
	}
	w.nameViolated(possible, c.Victims)
	c.ClearedNominations = w.A.ClearedNominations(w.N, c.Victims)
	return c
}

// nameViolated fills in the budgets that each victim violates. The dry run kept only their number, so that
// the budgets are charged once more, for the same pods in the same order. A victim that violates the same
// budgets as the one before shares its list, which saves memory if thousands of budgets cover thousands of
// pods.
func (w *DryRunner) nameViolated(possible []*state.PodState, victims []preemption.Victim) {
	if w.terms.Strict {
		return // no victim violates a budget
	}

	shared := SharedNames{Budgets: w.snap.BudgetSet, Broken: w.Broken[:0]}
	switch {
	case w.terms.ChargesVictims():
		w.chargeInOrder(possible, victims, &shared, false)
	case w.terms.Ascending():
		w.chargeAscending(possible, victims, &shared)
	default:
		w.chargeInOrder(possible, victims, &shared, true)
	}
	w.Broken = shared.Broken
	w.Budgets.Reset()
}

// chargeInOrder charges the budgets for the victims or, with all, for all possible victims, the most
// important first. It fills in the budgets that each victim violates.
func (w *DryRunner) chargeInOrder(possible []*state.PodState, victims []preemption.Victim, shared *SharedNames, all bool) {
	next := 0 // index of the next victim
	for i, p := range possible {
		if !w.Victim[i] {
			if all {
				w.Budgets.Charge(p) // it takes from budgets although it stays (rule 6.3.7)
			}
			continue
		}
		victims[next].Violated = shared.Of(w.Budgets.Charge(p))
		next++
	}
}

// chargeAscending charges the budgets for the victims unit by unit, the least important unit first, as ascend
// does. The victims are the last of the possible victims.
func (w *DryRunner) chargeAscending(possible []*state.PodState, victims []preemption.Victim, shared *SharedNames) {
	before := len(possible) - len(victims)
	for from, to := 0, len(possible); to > 0 && w.Victim[to-1]; to = from {
		from = w.unitStart(to - 1)
		for i := from; i < to; i++ {
			victims[i-before].Violated = shared.Of(w.Budgets.Charge(possible[i]))
		}
	}
}

// SharedNames makes lists of violated budgets. Consecutive pods that violate the same budgets share one list.
type SharedNames struct {
	Budgets *state.BudgetSet
	// Broken has the indexes that were asked for last, and last their budgets.
	Broken []int32
	last   []*outrank.PodDisruptionBudget
}

// Of returns the budgets with these indexes. The list must not be written.
func (s *SharedNames) Of(broken []int32) []*outrank.PodDisruptionBudget {
	if len(broken) == 0 {
		return nil
	}
	if !slices.Equal(broken, s.Broken) {
		s.Broken = append(s.Broken[:0], broken...)
		s.last = make([]*outrank.PodDisruptionBudget, len(broken)) // never reused, because victims hold the old list
		for i, b := range broken {
			s.last[i] = s.Budgets.List[b]
		}
	}
	return s.last
}
