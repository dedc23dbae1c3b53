package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// simplified is preemption as tutorials tell it (group 13.3).
func simplified() steps {
	s := plain()
	s.victims = (*attempt).ascend                                               // 13.3.1
	s.fits = (*dryRun).fitsOnce                                                 // 13.3.2
	s.takesAnyway = withoutPriority                                             // 13.3.3
	s.ranks = []Rank{ByViolations, ByTopPriority, ByVictims, ByPrioritySum}     // 13.3.4
	s.charge = (*attempt).chargeEach                                            // 13.3.5, 13.3.6 and 13.3.11
	s.violations = func(v []*outrank.PodDisruptionBudget) int { return len(v) } // 13.3.5
	s.eligible = (*attempt).eligibleInSimplified                                // 13.3.7
	s.clears = func(*attempt, []Victim) bool { return true }                    // 13.3.12
	return s
}

// ascend takes pods away by ascending importance until the preemptor fits. Nobody is put back (rule
// 13.3.1).
func (a *attempt) ascend(s *site, possible []*unit) (*Candidate, Status, error) {
	victims, status := a.takeUpTo(s, possible)
	if status.Code != Success {
		return nil, status, nil
	}
	return a.ascended(s, victims), Status{}, nil
}

// takeUpTo takes units away, the least important first, until the pod fits: each with what it failed
// with before (rule 13.3.1).
func (a *attempt) takeUpTo(s *site, possible []*unit) (victims []loss, status Status) {
	d := a.dryRun(s)
	status = a.steps.fits(d)
	for _, u := range slices.Backward(possible) {
		victims = append(victims, loss{u, status})
		if status = a.steps.fits(d.takeAway(u)); status.Code == Success {
			break
		}
	}
	return victims, status
}

// ascended is the candidate with these victims. Budgets are charged in the order in which they were
// taken away (rule 13.3.5).
func (a *attempt) ascended(s *site, victims []loss) *Candidate {
	var taken []*unit
	for _, v := range victims {
		taken = append(taken, v.unit)
	}
	return a.candidate(s, victims, a.steps.charge(a, podsOf(taken)))
}

// fitsOnce asks the filters once, with the promised pods in place (rule 13.3.2).
func (d *dryRun) fitsOnce() Status {
	if promised := d.promised(); len(promised) > 0 {
		return d.with(promised).runFilters()
	}
	return d.runFilters()
}

// withoutPriority: a pod without a priority can always be taken, unless it names a group (rules 13.3.3
// and 12.8.10).
func withoutPriority(u *unit) bool { return u.kind == ofPod && u.pods[0].pod.Priority == nil }

// chargeEach charges every budget for every pod that it covers (rule 13.3.5).
func (a *attempt) chargeEach(pods []*occupant) charges {
	return a.chargeThose(pods, picks, false)
}

// chargeEachToFirst is chargeEach where a pod counts once, whatever it violates (rule 13.5.5).
func (a *attempt) chargeEachToFirst(pods []*occupant) charges {
	return a.chargeThose(pods, picks, a.rules.BudgetsStopAtFirst)
}

// picks: a budget covers what its selector picks, everything if that is empty, also pods without labels
// and those that it has counted already (rules 13.3.6 and 13.3.11).
func picks(b budget, p *outrank.Pod) bool {
	return b.NamespaceName() == p.NamespaceName() && b.selector.Matches(p.Labels)
}

// eligibleInSimplified: a pod that is nominated to a node may preempt only if nobody's leaving helps there
// (rule 13.3.7).
func (a *attempt) eligibleInSimplified(nominated *site, on Status) Ineligibility {
	switch {
	case a.pod.PreemptionPolicy == outrank.PreemptNever:
		return PolicyNever
	case a.nomination() != "" && (nominated == nil || on.Code != UnschedulableAndUnresolvable):
		return Nominated
	}
	return ""
}
