package dryrun

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Score returns the score of the dry run that just ended (chapter 11).
func (w *DryRunner) Score(possible []*state.PodState) Score {
	w.chosen = w.chosen[:0]
	violations, first, reads := 0, -1, w.terms.ReadsFirst()
	for i, p := range possible {
		if !w.Victim[i] {
			continue
		}
		if reads && first < 0 && w.violates(i) {
			first = len(w.chosen)
		}
		w.chosen = append(w.chosen, p)
		violations += w.Budgets.Violations(w.violated[i])
	}
	sc := w.A.ScoreOf(w.chosen, violations)
	if first >= 0 {
		sc.Top = w.chosen[first].Priority()
	}
	return sc
}

// Candidate returns the result of the dry run that just ended.
func (w *DryRunner) Candidate(possible []*state.PodState) preemption.Candidate {
	sc := w.Score(possible)
	c := preemption.Candidate{Node: w.N.Name, Score: w.A.Tell(&sc)}
	if w.terms.Chooser != nil || w.terms.Exact {
		w.blocksOfChosen(possible)
	}
	if w.terms.Exact {
		told := c.Score // so that c is not allocated by itself
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

// nameViolated charges the budgets once more to find which of them each victim
// violates. The dry run kept only their number. Victims that violate the same as
// the one before share its list: where thousands of budgets cover thousands of pods,
// nothing else would hold as much.
func (w *DryRunner) nameViolated(possible []*state.PodState, victims []preemption.Victim) {
	if w.terms.Strict {
		return // none violates any
	}
	shared := SharedNames{Budgets: w.snap.BudgetSet, Broken: w.Broken[:0]}
	name := func(i int, v *preemption.Victim) {
		if broken := w.Budgets.Charge(possible[i]); v != nil {
			v.Violated = shared.Of(broken)
		}
	}
	if w.terms.ChargesVictims() {
		v := 0
		for i := range possible {
			if w.Victim[i] {
				name(i, &victims[v])
				v++
			}
		}
	} else if w.terms.Ascending() {
		for from, to := 0, len(possible); to > 0 && w.Victim[to-1]; to = from {
			from = w.unitStart(to - 1)
			for i := from; i < to; i++ {
				name(i, &victims[i-len(possible)+len(victims)])
			}
		}
	} else {
		v := 0
		for i := range possible {
			if w.Victim[i] {
				name(i, &victims[v])
				v++
			} else {
				name(i, nil)
			}
		}
	}
	w.Broken = shared.Broken
	w.Budgets.Reset()
}

// SharedNames lists the budgets that pods violate, once for pods in a row that
// violate the same.
type SharedNames struct {
	Budgets *state.BudgetSet
	Broken  []int32
	last    []*outrank.PodDisruptionBudget // those of broken
}

// Of returns the budgets with these indexes.
func (s *SharedNames) Of(broken []int32) []*outrank.PodDisruptionBudget {
	if len(broken) == 0 {
		return nil
	}
	if !slices.Equal(broken, s.Broken) {
		s.Broken, s.last = append(s.Broken[:0], broken...), make([]*outrank.PodDisruptionBudget, len(broken))
		for i, b := range broken {
			s.last[i] = s.Budgets.List[b]
		}
	}
	return s.last
}
