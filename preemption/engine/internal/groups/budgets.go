package groups

import (
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// unitTurns is about how many turns of loops it takes to take a unit away, or to charge it.
const unitTurns = 8

// charge takes each pod of each unit, in order of importance, from the budgets that cover
// it, up to the first that it violates, in the order of the cluster (rules 6.3.8 and
// 12.9.10; filterVictimsWithPDBViolation).
func (r *run) charge(units []possibleVictim) {
	budgets := dryrun.ChargerToFirst(r.work.BudgetSet)
	r.broken = map[int][]int32{}
	for i := range units {
		if r.look.Ended(unitTurns) {
			return
		}
		u := &units[i]
		if u.budget != mayViolate {
			continue
		}
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

// violated returns the budget that each pod of a unit violates, noBudget for none; nothing where no pod
// violates any.
func (r *run) violated(at int, u *possibleVictim) []int32 {
	switch {
	case !u.violates():
		return nil
	case u.single():
		return []int32{u.budget}
	}
	return r.broken[at]
}
