package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// score returns the score of the dry run that just ended (chapter 11).
func (w *dryRunner) score(possible []*state.PodState) decision.Score {
	w.chosen = w.chosen[:0]
	violations, first, reads := 0, -1, w.a.config.readsFirst()
	for i, p := range possible {
		if !w.victim[i] {
			continue
		}
		if reads && first < 0 && w.violates(i) {
			first = len(w.chosen)
		}
		w.chosen = append(w.chosen, p)
		violations += w.budgets.violations(w.violated[i])
	}
	sc := w.a.scoreOf(w.chosen, violations)
	if first >= 0 {
		sc.TopPriority = w.chosen[first].Priority()
	}
	return sc
}

// violates reports whether a possible victim is among those that are put back first.
func (w *dryRunner) violates(i int) bool {
	if len(w.units) == 0 {
		return w.violated[i] > 0
	}
	return w.unitAt(i).violates
}

// candidate returns the result of the dry run that just ended.
func (w *dryRunner) candidate(possible []*state.PodState) decision.Candidate {
	c := decision.Candidate{Node: w.n.Name, Score: w.score(possible)}
	if w.a.config.Chooser != nil || w.a.config.exact() {
		w.blocksOfChosen(possible)
	}
	if w.a.config.exact() {
		sc := c.Score // so that c is not allocated by itself
		c.Certificate = w.certificate(&sc)
	}
	c.Victims = make([]decision.Victim, 0, c.Score.Victims)
	for i, p := range possible {
		if w.victim[i] {
			c.Victims = append(c.Victims, decision.Victim{Pod: p.Located(), Blocks: w.a.public(w.blocks[i])})
		}
	}
	w.tellUnits(possible, c.Victims)
	if w.a.ruled() {
		w.nameRules(w.markedOf(possible), c.Victims)
	}
	w.nameViolated(possible, c.Victims)
	c.ClearedNominations = w.a.clearedNominations(w.n, c.Victims)
	return c
}

// nameViolated charges the budgets once more to find which of them each victim
// violates. The dry run kept only their number. Victims that violate the same as
// the one before share its list: where thousands of budgets cover thousands of pods,
// nothing else would hold as much.
func (w *dryRunner) nameViolated(possible []*state.PodState, victims []decision.Victim) {
	if w.a.config.Policy.Strict {
		return // none violates any
	}
	shared := sharedNames{budgets: w.a.Snap.BudgetSet, broken: w.broken[:0]}
	name := func(i int, v *decision.Victim) {
		if broken := w.budgets.charge(possible[i]); v != nil {
			v.Violated = shared.of(broken)
		}
	}
	if w.a.config.chargesVictims() {
		v := 0
		for i := range possible {
			if w.victim[i] {
				name(i, &victims[v])
				v++
			}
		}
	} else if w.a.config.ascending() {
		for from, to := 0, len(possible); to > 0 && w.victim[to-1]; to = from {
			from = w.unitStart(to - 1)
			for i := from; i < to; i++ {
				name(i, &victims[i-len(possible)+len(victims)])
			}
		}
	} else {
		v := 0
		for i := range possible {
			if w.victim[i] {
				name(i, &victims[v])
				v++
			} else {
				name(i, nil)
			}
		}
	}
	w.broken = shared.broken
	w.budgets.reset()
}

// sharedNames lists the budgets that pods violate, once for pods in a row that
// violate the same.
type sharedNames struct {
	budgets *state.BudgetSet
	broken  []int32
	last    []*outrank.PodDisruptionBudget // those of broken
}

func (s *sharedNames) of(broken []int32) []*outrank.PodDisruptionBudget {
	if len(broken) == 0 {
		return nil
	}
	if !slices.Equal(broken, s.broken) {
		s.broken, s.last = append(s.broken[:0], broken...), make([]*outrank.PodDisruptionBudget, len(broken))
		for i, b := range broken {
			s.last[i] = s.budgets.List[b]
		}
	}
	return s.last
}
