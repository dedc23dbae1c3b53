package reference

import "github.com/outrank-go/outrank"

// broken counts, for each of the pods in this order, the budgets that its loss breaks
// (group 6.3). Budgets are charged for every one of them, so that those that come
// first use an allowance up before the others.
func (r *Rules) broken(pods []*outrank.Pod, budgets []*outrank.PodDisruptionBudget) map[*outrank.Pod]int {
	allowance := make([]int64, len(budgets))
	for i, b := range budgets {
		allowance[i] = int64(b.Allowed)
	}
	broken := map[*outrank.Pod]int{}
	for _, p := range pods {
		for i, b := range budgets {
			switch {
			case !r.covers(b, p):
				continue
			case r.Uncharged:
				if allowance[i] <= 0 {
					broken[p]++
				}
				continue
			case alreadyCounted(b, p):
				continue
			}
			// Every covering budget is charged, also after one has failed.
			allowance[i]--
			if allowance[i] < 0 {
				broken[p]++
			}
		}
	}
	return broken
}

// split parts the pods into those whose loss breaks a budget and the others, each in
// the given order.
func split(pods []*outrank.Pod, broken map[*outrank.Pod]int) (violating, others []*outrank.Pod) {
	for _, p := range pods {
		if broken[p] > 0 {
			violating = append(violating, p)
		} else {
			others = append(others, p)
		}
	}
	return violating, others
}

// covers: a variant lets empty selectors cover all pods, and pods without labels be
// covered (rule 13.3.6).
func (r *Rules) covers(b *outrank.PodDisruptionBudget, p *outrank.Pod) bool {
	if r.EmptySelectors {
		return b.NamespaceName() == p.NamespaceName() && b.Selector.Matches(p.Labels)
	}
	return covers(b, p)
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
