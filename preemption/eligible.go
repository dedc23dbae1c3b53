package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// mayPreempt returns why the pod may not preempt (chapter 8), empty if it may. The caller's rule has the
// last word (rule 8.13).
func (a *attempt) mayPreempt(answers []answer) Ineligibility {
	if a.config.switchesOff(DefaultPreemption) {
		return Disabled // rule 13.1.5
	}

	var on Status
	nominated := a.nominatedSite()
	if nominated != nil {
		on = answers[nominated.position].before
	}
	by := a.steps.eligible(a, nominated, on)

	rules := a.config.Eligibility
	if rules.Refuse != nil {
		return rules.Refuse(a.pod, by, on)
	}
	return by
}

// eligible applies the rules of kube-scheduler. A pod whose policy is Never may not preempt (rule 8.2), and
// neither may one while victims of its last preemption are leaving the node that it is nominated to (rule
// 8.3). It does not wait for a node that is gone, that takes the pod by now, or where the loss of pods
// cannot help (rules 8.6 and 8.7).
func (a *attempt) eligible(nominated *site, on Status) Ineligibility {
	if a.pod.PreemptionPolicy == outrank.PreemptNever {
		return PolicyNever
	}
	if nominated != nil && on.Code == Unschedulable && a.anyLeaves(nominated, leavesByPreemption) {
		return VictimsTerminating
	}
	return ""
}

// anyLeaves reports whether leaves is true for a pod on the node that the preemptor could take (rules 8.3 and
// 12.8.1). It ignores pods that the same units have on other nodes.
func (a *attempt) anyLeaves(s *site, leaves func(p *outrank.Pod) bool) bool {
	for _, u := range s.units {
		for _, p := range u.pods {
			if p.site == s && leaves(p.pod) && a.mayTake(u) {
				return true
			}
		}
	}
	return false
}

// leavesByPreemption reports whether a pod is being deleted because the scheduler preempted it (rule 8.4).
func leavesByPreemption(p *outrank.Pod) bool {
	return p.Terminating() && p.DisruptionReason == outrank.PreemptionByScheduler
}

// mayTake reports whether the preemptor may take a unit. Its priority has to be lower, unless the caller
// has pods of any priority taken (rules 9.1, 12.8.1 and 13.6.1). The caller's rule has to allow each of
// its pods (rule 12.8.9), and none of them is the preemptor itself (rule 7.19.6).
//
// internal/proof/victims.dfy proves that nobody of the preemptor's priority or above leaves
// (OnlyLowerPrioritiesLeave).
func (a *attempt) mayTake(u *unit) bool {
	rules := a.config.Eligibility
	if u.priority >= a.pod.PriorityValue() && !rules.AnyPriority && !a.steps.takesAnyway(u) {
		return false
	}
	return !slices.ContainsFunc(u.pods, func(p *occupant) bool { return a.isItself(p) || !a.config.allowsTaking(a.pod, p.pod) })
}

// allowsTaking reports whether the caller's rule allows a pod to take another, whatever their priorities.
func (c *Config) allowsTaking(preemptor, victim *outrank.Pod) bool {
	if c.Eligibility.Take == nil {
		return true
	}
	_, ok := c.Eligibility.Take(preemptor, victim)
	return ok
}
