package reference

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// broken counts, for each of the pods in this order, the budgets that its loss breaks
// (group 6.3). Budgets are charged for every one of them, so that those that come
// first use an allowance up before the others. By rule 6.3.8 a pod is charged no
// further than to the first budget that it breaks.
func (a *attempt) broken(pods []*outrank.Pod) map[*outrank.Pod]int {
	budgets, variant := a.cluster.Budgets, &a.variant
	stop := a.rules.BudgetsStopAtFirst && !variant.PerBudget && !variant.Uncharged
	allowance := make([]int64, len(budgets))
	for i, b := range budgets {
		allowance[i] = int64(b.DisruptionsAllowed)
	}
	broken := map[*outrank.Pod]int{}
	for _, p := range pods {
		for i, b := range budgets {
			switch {
			case !variant.covers(b, p) || stop && broken[p] > 0:
				continue
			case variant.Uncharged:
				if allowance[i] <= 0 {
					broken[p]++
				}
				continue
			case alreadyCounted(b, p) && !variant.CountTwice:
				continue
			}
			allowance[i]--
			if allowance[i] < 0 {
				broken[p]++
			}
		}
	}
	return broken
}

// spared are the units that stay where no budget may be violated: from the least
// important up, each unit charges all budgets that cover its pods, and one for
// which any of them has nothing left stays and charges nothing (rule 13.5.1).
func (a *attempt) spared(units []*unit) []*unit {
	if !a.variant.Strict {
		return nil
	}
	var stay []*unit
	taken := map[*outrank.PodDisruptionBudget]int64{}
	for _, u := range slices.Backward(units) {
		takes := map[*outrank.PodDisruptionBudget]int64{}
		for _, p := range u.pods {
			for _, b := range a.cluster.Budgets {
				if a.variant.covers(b, p) && (a.variant.Uncharged || a.variant.CountTwice || !alreadyCounted(b, p)) {
					takes[b]++
				}
			}
		}
		enough := true
		for b, n := range takes {
			if a.variant.Uncharged {
				enough = enough && b.DisruptionsAllowed > 0
			} else {
				enough = enough && taken[b]+n <= int64(b.DisruptionsAllowed)
			}
		}
		if !enough {
			stay = append(stay, u)
			continue
		}
		for b, n := range takes {
			taken[b] += n
		}
	}
	return stay
}

// split parts the units into those with a pod whose loss breaks a budget and the
// others, each in the given order.
func split(units []*unit, broken map[*outrank.Pod]int) (violating, others []*unit) {
	for _, u := range units {
		if slices.ContainsFunc(u.pods, func(p *outrank.Pod) bool { return broken[p] > 0 }) {
			violating = append(violating, u)
		} else {
			others = append(others, u)
		}
	}
	return violating, others
}

// covers: a variant lets empty selectors cover all pods, and pods without labels be
// covered (rule 13.3.6).
func (v *Variant) covers(b *outrank.PodDisruptionBudget, p *outrank.Pod) bool {
	if v.EmptySelectors {
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
	_, ok := b.DisruptedPods[p.Name]
	return ok
}
