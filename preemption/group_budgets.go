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
func (r *groupRun) charge(units []leaver) {
	budgets := r.work.budgets
	ledger := budgets.matcher.Ledger()
	sorted := map[*podClass][]int32{} // the budgets of a class, by key
	for i := range units {
		if units[i].budget != mayViolate {
			continue
		}
		units[i].budget = noBudget
		for _, p := range r.podsOf(&units[i]) {
			order, ok := sorted[p.class]
			if !ok {
				order = budgets.byKey(p.class.covering)
				sorted[p.class] = order
			}
			if at := slices.IndexFunc(order, func(b int32) bool { return len(ledger.Charge(p.pod, []int32{b})) > 0 }); at >= 0 {
				units[i].budget = order[at]
				break
			}
		}
	}
}

// byKey sorts budgets by namespace and name. The result is another slice.
func (b *budgetSet) byKey(indexes []int32) []int32 {
	indexes = slices.Clone(indexes)
	slices.SortFunc(indexes, func(i, j int32) int { return cmp.Compare(b.list[i].Key(), b.list[j].Key()) })
	return indexes
}
