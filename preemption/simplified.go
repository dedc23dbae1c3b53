package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// simplified returns the steps of preemption as tutorials tell it (group 13.3).
func simplified() steps {
	s := plain()
	s.victims = (*attempt).ascend                                               // rule 13.3.1
	s.fits = (*dryRun).fitsOnce                                                 // rule 13.3.2
	s.takesAnyway = withoutPriority                                             // rule 13.3.3
	s.ranks = []Rank{ByViolations, ByTopPriority, ByVictims, ByPrioritySum}     // rule 13.3.4
	s.charge = (*attempt).chargeEach                                            // rules 13.3.5, 13.3.6 and 13.3.11
	s.violations = func(v []*outrank.PodDisruptionBudget) int { return len(v) } // rule 13.3.5
	s.eligible = (*attempt).eligibleInSimplified                                // rule 13.3.7
	s.clears = func(*attempt, []Victim) bool { return true }                    // rule 13.3.12
	return s
}

// ascend takes units away by ascending importance until the pod fits. None is put back (rule 13.3.1).
func (a *attempt) ascend(s *site, possible []*unit) (*Candidate, Status, error) {
	victims, status := a.takeUpTo(s, possible)
	if status.Code != Success {
		return nil, status, nil
	}
	return a.ascended(s, victims), Status{}, nil
}

// takeUpTo takes units away, the least important first, until the pod fits (rule 13.3.1). Each victim
// blocks what the pod failed with before it left. If the pod does not fit even then, the status says why.
func (a *attempt) takeUpTo(s *site, possible []*unit) (victims []loss, status Status) {
	d := a.dryRun(s)
	status = a.steps.fits(d)

	// The first unit leaves even if the status is a success, because the node has turned the pod down before.
	for _, u := range slices.Backward(possible) {
		victims = append(victims, loss{u, status})
		if status = a.steps.fits(d.takeAway(u)); status.Code == Success {
			break
		}
	}
	return victims, status
}

// ascended returns the candidate with these victims. Budgets are charged for them in the order in which
// they were taken away (rule 13.3.5).
func (a *attempt) ascended(s *site, victims []loss) *Candidate {
	violated := a.steps.charge(a, podsOf(lostUnits(victims)))
	return a.candidate(s, victims, violated)
}

// fitsOnce asks the filters once, with the pods in place that are promised the node (rule 13.3.2).
func (d *dryRun) fitsOnce() Status {
	if promised := d.promised(); len(promised) > 0 {
		return d.with(promised).runFilters()
	}
	return d.runFilters()
}

// withoutPriority reports whether every preemptor may take a unit: it is a pod without a priority that names no
// group (rules 13.3.3 and 12.8.10).
func withoutPriority(u *unit) bool { return u.kind == ofPod && u.pods[0].pod.Priority == nil }

// chargeEach charges every budget for every pod that it covers (rule 13.3.5).
func (a *attempt) chargeEach(pods []*occupant) charges {
	return a.chargeThose(pods, picks, false)
}

// chargeEachToFirst is chargeEach with the release's own rule about pods under several budgets: from v1.37
// on a pod is charged no further than to the first budget that it violates (rules 6.3.8 and 13.5.5).
func (a *attempt) chargeEachToFirst(pods []*occupant) charges {
	return a.chargeThose(pods, picks, a.rules.BudgetsStopAtFirst)
}

// picks reports whether a budget covers a pod: its selector picks the pod, or is empty. Pods without
// labels and pods that the budget has counted already are covered, too (rules 13.3.6 and 13.3.11).
func picks(b budget, p *outrank.Pod) bool {
	return b.NamespaceName() == p.NamespaceName() && b.selector.Matches(p.Labels)
}

// eligibleInSimplified keeps a pod without a priority from preempting (rule 13.3.15), a pod with the policy
// Never, and a pod with a nomination, unless its node is one where no loss of pods helps (rule 13.3.7).
func (a *attempt) eligibleInSimplified(nominated *site, on Status) Ineligibility {
	switch {
	case a.pod.Priority == nil:
		return NoPriority
	case a.pod.PreemptionPolicy == outrank.PreemptNever:
		return PolicyNever
	case a.nomination() != "" && (nominated == nil || on.Code != UnschedulableAndUnresolvable):
		return Nominated
	}
	return ""
}
