package preemption

import "github.com/outrank-go/outrank"

// budget is a disruption budget whose selector has been read.
type budget struct {
	*outrank.PodDisruptionBudget
	selector outrank.Matcher
}

// charges lists, pod by pod, the budgets that the loss of the pod violates. It has no entry for a pod that
// violates none.
type charges map[*occupant][]*outrank.PodDisruptionBudget

// charge charges pods to the budgets that cover them, in the order of the pods: the first ones use up what a
// budget allows (rules 6.3.1 to 6.3.5). From v1.37 on a pod is charged no further than to the
// first budget that it violates; before, it is charged to all that cover it (rules 6.3.6 and 6.3.8).
func (a *attempt) charge(pods []*occupant) charges {
	return a.chargeThose(pods, isCharged, a.rules.BudgetsStopAtFirst)
}

// isCharged reports whether a budget is charged for a pod: it covers the pod, and has not counted the
// pod's disruption already (rule 6.3.4).
func isCharged(b budget, p *outrank.Pod) bool {
	_, counted := b.DisruptedPods[p.Name]
	return coversPod(b, p) && !counted
}

// chargeThose charges pods in their order, each to the budgets for which charged is true, in the cluster's
// order. With toFirst a pod is charged no further than to the first budget that it violates.
func (a *attempt) chargeThose(pods []*occupant, charged func(b budget, p *outrank.Pod) bool, toFirst bool) charges {
	violated := charges{}
	taken := make([]int64, len(a.budgets))
	for _, p := range pods {
		for i, b := range a.budgets {
			if !charged(b, p.pod) {
				continue
			}

			// A pod that finds nothing left counts all the same: the budget goes below 0, and so the
			// next pod violates it, too (rule 6.3.5).
			taken[i]++
			if taken[i] <= int64(b.DisruptionsAllowed) {
				continue
			}

			violated[p] = append(violated[p], b.PodDisruptionBudget)
			if toFirst {
				break
			}
		}
	}
	return violated
}

// coversPod reports whether a budget covers a pod: the pod is of its namespace, and its selector picks the
// pod. A budget whose selector is empty or cannot be read covers no pod, and no budget covers a pod without
// labels (group 6.2).
func coversPod(b budget, p *outrank.Pod) bool {
	return b.NamespaceName() == p.NamespaceName() && len(p.Labels) > 0 && !b.selector.Empty() && b.selector.Matches(p.Labels)
}

// onePerPod returns what a victim adds to the violations: 1 if it violates a budget, however many (rule 9.7).
func onePerPod(violated []*outrank.PodDisruptionBudget) int { return min(1, len(violated)) }

// violatingFirst puts the units that violate a budget before the others. Both parts keep their order (rules 9.6
// and 12.8.3).
func violatingFirst(units []*unit, violated charges) []*unit {
	var violating, others []*unit
	for _, u := range units {
		if violated.any(u) {
			violating = append(violating, u)
		} else {
			others = append(others, u)
		}
	}
	return append(violating, others...)
}

// any reports whether a unit violates a budget: the loss of one of its pods does (rule 12.8.4).
func (c charges) any(u *unit) bool {
	for _, p := range u.pods {
		if len(c[p]) > 0 {
			return true
		}
	}
	return false
}
