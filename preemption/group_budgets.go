package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// charge takes the units from the budgets that cover their pods, in order of
// importance (group 12.5; filterVictimsWithPDBViolation of pod group
// preemption): pod by pod up to the first that violates one, and for each pod
// budget by budget up to the first that has nothing left. Because of that the
// orders tell; budgets go by their namespaces and names (group 12.5 of RULES.md).
func (r *groupRun) charge(units []leaver) {
	if r.work.rules.VictimUnits {
		r.chargeWhole(units)
		return
	}
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

// brokenUnit is a unit that violates budgets by several pods: by how many, and which
// budgets, each once.
type brokenUnit struct {
	pods    int
	budgets []int32
}

// chargeWhole charges each pod of each unit, a pod up to the first budget that it violates,
// in the order of the cluster (rules 6.3.8 and 12.9.10).
func (r *groupRun) chargeWhole(units []leaver) {
	ledger := r.work.budgets.matcher.Ledger()
	r.broken = map[int]brokenUnit{}
	for i := range units {
		u := &units[i]
		if u.budget != mayViolate {
			continue
		}
		u.budget = noBudget
		for _, p := range r.podsOf(u) {
			violated := ledger.ChargeToFirst(p.pod, p.class.covering)
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
func (r *groupRun) violations(at int, u *leaver) (pods int, budgets []*outrank.PodDisruptionBudget) {
	if !u.violates() {
		return 0, nil
	}
	b, several := r.broken[at]
	if !several {
		b = brokenUnit{1, []int32{u.budget}}
	}
	for _, i := range b.budgets {
		budgets = append(budgets, r.work.budgets.list[i])
	}
	return b.pods, budgets
}
