package preemption

import "github.com/outrank-go/outrank"

// budget is a disruption budget with its selector read.
type budget struct {
	*outrank.PodDisruptionBudget
	selector outrank.Matcher
}

// charges says which budgets the loss of each pod violates; most pods are not in it.
type charges map[*occupant][]*outrank.PodDisruptionBudget

// charge takes pods from the budgets that cover them, in their order, so that those which come first
// use an allowance up before the others (rules 6.3.1 to 6.3.5). A pod is charged no further than to the
// first budget that it violates; in v1.36 it was charged to all (rules 6.3.6 and 6.3.8).
func (a *attempt) charge(pods []*occupant) charges {
	return a.chargeThose(pods, isCharged, a.rules.BudgetsStopAtFirst)
}

// isCharged: a budget is charged for the pods that it covers, but for those whose disruption is in its
// allowance already (rule 6.3.4).
func isCharged(b budget, p *outrank.Pod) bool {
	_, counted := b.DisruptedPods[p.Name]
	return coversPod(b, p) && !counted
}

// chargeThose charges the budgets that a rule names for each pod.
func (a *attempt) chargeThose(pods []*occupant, charged func(b budget, p *outrank.Pod) bool, toFirst bool) charges {
	violated := charges{}
	taken := make([]int64, len(a.budgets))
	for _, p := range pods {
		for i, b := range a.budgets {
			if !charged(b, p.pod) {
				continue
			}
			if taken[i]++; taken[i] <= int64(b.DisruptionsAllowed) {
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

// coversPod: a budget covers the pods of its namespace that its selector picks. One that is empty or
// cannot be read covers none, and a pod without labels is covered by none (group 6.2).
func coversPod(b budget, p *outrank.Pod) bool {
	return b.NamespaceName() == p.NamespaceName() && len(p.Labels) > 0 && !b.selector.Empty() && b.selector.Matches(p.Labels)
}

// onePerPod counts each pod that violates any budget once (rule 9.7).
func onePerPod(violated []*outrank.PodDisruptionBudget) int { return min(1, len(violated)) }

// violatingFirst lists the units with a pod that violates a budget before the others, each in the order
// in which they stand (rules 9.6 and 12.8.3).
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

// any reports whether the loss of any pod of a unit violates a budget (rule 12.8.4).
func (c charges) any(u *unit) bool {
	for _, p := range u.pods {
		if len(c[p]) > 0 {
			return true
		}
	}
	return false
}
