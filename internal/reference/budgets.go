package reference

import "github.com/outrank-go/outrank"

// splitByBudgets parts the possible victims, most important first, into those
// whose loss breaks a budget and the others, each in the given order (group
// 6.3). Budgets are charged for every possible victim, not for those that go in
// the end, so the important pods use an allowance up before the lesser ones. Where
// stop is set, a pod is charged no further than to the first budget that it breaks
// (rule 6.3.8).
func splitByBudgets(pods []*outrank.Pod, budgets []*outrank.PodDisruptionBudget, stop bool) (violating, others []*outrank.Pod) {
	allowance := make([]int64, len(budgets))
	for i, b := range budgets {
		allowance[i] = int64(b.Allowed)
	}
	for _, p := range pods {
		violates := false
		for i, b := range budgets {
			if !covers(b, p) || alreadyCounted(b, p) || violates && stop {
				continue
			}
			allowance[i]--
			if allowance[i] < 0 {
				violates = true
			}
		}
		if violates {
			violating = append(violating, p)
		} else {
			others = append(others, p)
		}
	}
	return violating, others
}

// covers: a budget covers the pods of its namespace that its selector matches.
// A nil, empty or invalid selector covers none, and a pod without labels is
// covered by none.
func covers(b *outrank.PodDisruptionBudget, p *outrank.Pod) bool {
	return b.NamespaceName() == p.NamespaceName() && len(p.Labels) > 0 &&
		!b.Selector.Empty() && b.Selector.Matches(p.Labels)
}

// alreadyCounted: the disruption of this pod is already in the allowance.
func alreadyCounted(b *outrank.PodDisruptionBudget, p *outrank.Pod) bool {
	_, ok := b.Disrupted[p.Name]
	return ok
}
