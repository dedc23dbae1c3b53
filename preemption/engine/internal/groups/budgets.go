package groups

import (
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// unitTurns is the weight of removing or charging a unit for work.Watch, in turns of a plain loop. The watch
// looks at the context after a number of turns.
const unitTurns = 8

// charge charges each pod of each unit, in order of importance, to the budgets that cover it, in the order of
// the cluster and up to the first that the pod violates (rules 6.3.8 and 12.9.10;
// filterVictimsWithPDBViolation). It sets budget in each unit, and r.broken for units of several pods.
func (r *run) charge(units []possibleVictim) {
	budgets := dryrun.ChargerToFirst(r.work.BudgetSet)
	r.broken = map[int][]int32{}
	for i := range units {
		if r.look.Ended(unitTurns) {
			return
		}

		// Most units have no pod that a budget covers.
		u := &units[i]
		if u.budget != mayViolate {
			continue
		}

		// One budget stands for the unit. What each pod violates is kept only for units of several pods.
		u.budget = noBudget
		for at, p := range r.podsOf(u) {
			violated := budgets.Charge(p)
			switch {
			case len(violated) == 0:
			case u.single():
				u.budget = violated[0]
			default:
				if r.broken[i] == nil {
					r.broken[i] = slices.Repeat([]int32{noBudget}, len(r.podsOf(u)))
				}
				u.budget, r.broken[i][at] = violated[0], violated[0]
			}
		}
	}
}

// violated returns, for each pod of the unit at index at, the budget that it violates or noBudget. It returns
// nil if no pod violates any.
func (r *run) violated(at int, u *possibleVictim) []int32 {
	switch {
	case !u.violates():
		return nil
	case u.single():
		return []int32{u.budget}
	}
	return r.broken[at]
}
