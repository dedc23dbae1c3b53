package engine

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// unitTurns is about how many turns of loops it takes to take a unit away, or to charge it.
const unitTurns = 8

// charge takes each pod of each unit, in order of importance, from the budgets that cover
// it, up to the first that it violates, in the order of the cluster (rules 6.3.8 and
// 12.9.10; filterVictimsWithPDBViolation).
func (r *groupRun) charge(units []possibleVictim) {
	budgets := dryrun.UnitCharger(r.work.BudgetSet)
	r.broken = map[int]brokenUnit{}
	for i := range units {
		if r.look.Ended(unitTurns) {
			return
		}
		u := &units[i]
		if u.budget != mayViolate {
			continue
		}
		u.budget = noBudget
		for _, p := range r.podsOf(u) {
			violated := budgets.Charge(p)
			switch {
			case len(violated) == 0:
			case u.single():
				u.budget = violated[0]
			default:
				b := r.broken[i]
				if b.pods++; !slices.Contains(b.budgets, violated[0]) {
					b.budgets = append(b.budgets, violated[0])
					slices.Sort(b.budgets)
				}
				u.budget, r.broken[i] = b.budgets[0], b
			}
		}
	}
}

// violations counts the pods of a unit that violate a budget, and returns the budgets.
func (r *groupRun) violations(at int, u *possibleVictim) (pods int, budgets []*outrank.PodDisruptionBudget) {
	if !u.violates() {
		return 0, nil
	}
	b, several := r.broken[at]
	if !several {
		b = brokenUnit{1, []int32{u.budget}}
	}
	for _, i := range b.budgets {
		budgets = append(budgets, r.work.BudgetSet.List[i])
	}
	return b.pods, budgets
}
