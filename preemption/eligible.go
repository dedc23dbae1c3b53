package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// mayPreempt says why the pod may not preempt (chapter 8); it is empty if it may. The caller's rule has
// the last word (rule 8.13).
func (a *attempt) mayPreempt(answers []answer) Ineligibility {
	if slices.Contains(a.config.Profile.Off, DefaultPreemption) {
		return Disabled // rule 13.1.5
	}
	var on Status
	nominated := a.nominatedSite()
	if nominated != nil {
		on = answers[nominated.position].before
	}

	by := a.steps.eligible(a, nominated, on)
	if refuse := a.config.Eligibility.Refuse; refuse != nil {
		return refuse(a.pod, by, on)
	}
	return by
}

// eligible: a pod whose policy is Never may not preempt (rule 8.2), nor one whose victims of an earlier
// preemption still leave the node that it is nominated to (rule 8.3). A node that is gone, that takes
// the pod by now, or where nobody's leaving helps is nothing to wait for (rules 8.6 and 8.7).
func (a *attempt) eligible(nominated *site, on Status) Ineligibility {
	if a.pod.PreemptionPolicy == outrank.PreemptNever {
		return PolicyNever
	}
	if nominated != nil && on.Code == Unschedulable && a.anyLeaves(nominated, leavesByPreemption) {
		return VictimsTerminating
	}
	return ""
}

// anyLeaves reports whether a pod that the preemptor could take is leaving the node (rules 8.3 and 12.8.1).
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

// leavesByPreemption: the pod is being deleted, and the scheduler's preemption is why (rule 8.4).
func leavesByPreemption(p *outrank.Pod) bool {
	return p.Terminating() && p.DisruptionReason == outrank.PreemptionByScheduler
}

// mayTake reports whether the preemptor may take a unit: one of lower priority, or of any where the
// caller says so (rules 9.1, 12.8.1 and 13.6.1), all of whose pods the caller's rule lets go (rule
// 12.8.9), and never the preemptor itself (rule 7.19.6).
func (a *attempt) mayTake(u *unit) bool {
	if u.priority >= a.pod.PriorityValue() && !a.config.Eligibility.AnyPriority && !a.steps.takesAnyway(u) {
		return false
	}
	return !slices.ContainsFunc(u.pods, func(p *occupant) bool { return a.isItself(p) || !a.config.lets(a.pod, p.pod) })
}

// lets reports whether the caller's rule lets a pod take another, whatever their priorities.
func (c *Config) lets(preemptor, victim *outrank.Pod) bool {
	if c.Eligibility.Take == nil {
		return true
	}
	_, ok := c.Eligibility.Take(preemptor, victim)
	return ok
}
