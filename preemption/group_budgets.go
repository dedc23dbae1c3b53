package preemption

import "slices"

// charge takes the units from the budgets that cover their pods, in order of
// importance (group 12.5; filterVictimsWithPDBViolation of pod group
// preemption): pod by pod up to the first that violates one, and for each pod
// budget by budget up to the first that has nothing left. Because of that the
// orders tell; budgets go by their namespaces and names (group 12.5 of RULES.md).
func (r *groupRun) charge(units []leaver) {
	budgets := r.work.budgets
	ledger := budgets.matcher.Ledger()
	inOrder := budgets.orderByKey()
	for i := range units {
		if units[i].budget != mayViolate {
			continue
		}
		units[i].budget = noBudget
		for _, p := range r.podsOf(&units[i]) {
			order := inOrder(p.class.covering)
			if at := slices.IndexFunc(order, func(b int32) bool { return len(ledger.Charge(p.pod, []int32{b})) > 0 }); at >= 0 {
				units[i].budget = order[at]
				break
			}
		}
	}
}
