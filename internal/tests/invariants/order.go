package invariants

import (
	"fmt"
	"slices"
	"testing"

	"github.com/outrank-go/outrank/preemption"
)

// NoVictimCouldHaveStayed holds that no unit that leaves could have stayed beside all that stay (rule 9.10). It holds
// because every filter of these worlds is monotone: fewer pods never make less room. With a guard it is not promised (rule
// 13.6.5), and without reprieve of the last one alone (rule 13.3.1).
func (d Decider) NoVictimCouldHaveStayed(t *testing.T) {
	both(t, func(t *testing.T) {
		d.always(t, func(w *World, a *answer) string { return first(a.all(), w.inVain) })
	}, func(t *testing.T) {
		d.alwaysGroups(t, func(w *World, a *groupAnswer) string {
			for _, u := range w.unitsOf(a.victims) {
				if w.MostAway < 0 && w.unplaced(a, without(a.victims, u.pods)) == nil {
					return fmt.Sprintf("%s could have stayed beside all who stay", u.name)
				}
			}
			return ""
		})
	})
}

// inVain says which victim of a choice leaves in vain.
func (w *World) inVain(c choice) string {
	units := w.unitsOf(c.victims)
	if len(units) == 0 && !(w.Policy == v113 && w.given()) {
		return c.node.Name + " is a candidate that nobody has to leave"
	}
	for i, u := range units {
		said := w.onceGone(c.node, without(c.victims, u.pods))
		needless := said == takesIt && w.MostAway < 0
		if w.Policy == simplified {
			needless = said == takesIt && i == 0 && len(units) > 1
		}
		if w.Policy == exact && (len(w.Ranks) > 0 || w.ByCPU) {
			needless = false // more victims may be as good as fewer, or better, if one of more cpu comes before them
		}
		if needless {
			return fmt.Sprintf("%s could have stayed on %s beside all who stay", u.name, c.node.Name)
		}
	}
	return ""
}

// BudgetsComeBackFirstThenImportance holds that those who could leave are put back in one order, and stay if there is
// room beside those put back before them: first who breaks a budget, then the others, each time the most important
// first (rules 9.4 to 9.6, 12.8.3 and 12.9.8). In the simplified form nobody comes back, and the least important leave
// (rule 13.3.1). Which are the best victims of all is not this order's business.
func (d Decider) BudgetsComeBackFirstThenImportance(t *testing.T) {
	both(t, func(t *testing.T) {
		d.always(t, func(w *World, a *answer) string {
			return first(a.all(), func(c choice) string {
				if w.Policy == exact {
					return ""
				}
				return w.outOfOrder(w.onNode(c.node), c.victims)
			})
		})
	}, func(t *testing.T) {
		d.alwaysGroups(t, func(w *World, a *groupAnswer) string {
			if a.plan.Outcome != preemption.Preempts {
				return ""
			}
			room := func(gone []*Pod) said {
				if w.unplaced(a, gone) != nil {
					return curable("")
				}
				return takesIt
			}
			leaving := w.letGo(w.possible(w.unitsOn(w.nodeNames()...)))
			return w.outOfOrder(w.fates(leaving, room), a.victims)
		})
	})
}

// outOfOrder compares what becomes of units with what should.
func (w *World) outOfOrder(inTurn []fate, victims []*Pod) string {
	var could []*unit
	for _, f := range inTurn {
		could = append(could, f.unit)
	}
	violated := w.firstBack(w.unitsOf(podsOf(could)))
	for _, f := range inTurn {
		budget := "breaks no budget"
		if violated.any(f.unit) {
			budget = "breaks a budget"
		}
		away := leaves(victims, f.unit)
		switch {
		case w.Policy == simplified && away != f.leaves:
			return fmt.Sprintf("of %s, who leave until there is room, the least important first, %s leaves: %t", names(podsOf(could)), f.name, away)
		case away && !f.leaves:
			return fmt.Sprintf("%s, which %s, has room beside those who are put back before it, and leaves all the same", f.name, budget)
		case !away && f.leaves:
			return fmt.Sprintf("%s, which %s, has no room beside those who are put back before it, and stays all the same", f.name, budget)
		}
	}
	if listed := podsOf(w.unitsOf(victims)); !slices.Equal(victims, listed) {
		return fmt.Sprintf("%s are listed, and by importance these are %s", names(victims), names(listed))
	}
	return ""
}
