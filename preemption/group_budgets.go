package preemption

import (
	"cmp"
	"slices"
)

// charge takes the units from the budgets that cover their pods, in order of
// importance (group 12.5; filterVictimsWithPDBViolation of pod group
// preemption): pod by pod up to the first that violates one, and for each pod
// budget by budget up to the first that has nothing left. Because of that the
// orders tell; budgets go by their namespaces and names (group 12.5 of RULES.md).
func (r *groupRun) charge(units []*groupUnit) {
	budgets := r.work.budgets
	ledger := budgets.matcher.Ledger()
	sorted := map[*podClass][]int32{} // the budgets of a class, by key
	for _, u := range units {
		for _, p := range u.pods {
			if len(p.class.covering) == 0 {
				continue
			}
			order, ok := sorted[p.class]
			if !ok {
				order = slices.Clone(p.class.covering)
				slices.SortFunc(order, func(a, b int32) int {
					return cmp.Compare(budgets.list[a].Key(), budgets.list[b].Key())
				})
				sorted[p.class] = order
			}
			broken := slices.IndexFunc(order, func(b int32) bool { return len(ledger.Charge(p.pod, []int32{b})) > 0 })
			if broken >= 0 {
				u.violated = []int32{order[broken]}
				break
			}
		}
	}
}
