package preemption

import "slices"

// Budgets for the victims alone, or never violated (group 13.5).

// chargingVictims charges budgets for the victims alone, and counts each pod that violates any once.
// Which pods are victims stays the same. Where they are found by ascending importance they are charged
// alone anyway (rule 13.5.5).
func (s steps) chargingVictims(ascending bool) steps {
	s.violations, s.readsTop, s.shows = onePerPod, plain().readsTop, plain().shows
	if ascending {
		s.charge = (*attempt).chargeEachToFirst
		return s
	}
	s.charge = (*attempt).charge
	s.recharge = chargeAgain
	return s
}

// chargeAgain charges the budgets for the victims, the most important first.
func chargeAgain(a *attempt, victims []*unit, _ charges) charges {
	return a.steps.charge(a, podsOf(victims))
}

// budgetsForbid is the answer of a node with room for no violation at all (rule 13.5.2).
var budgetsForbid = Status{Code: Unschedulable, Reasons: []string{"making room would violate a disruption budget"}}

// strict never violates a budget.
func (s steps) strict(ascending bool) steps {
	if ascending {
		s.victims = (*attempt).ascendStrictly
		return s
	}
	s.spare = spareByBudgets
	return s
}

// sparedByBudgets parts the possible victims. Budgets are charged from the least important up; one that
// violates any beside those that leave by then stays whole, and takes nothing from any (rule 13.5.1).
func (a *attempt) sparedByBudgets(possible []*unit) (leaving, spared []*unit) {
	for _, u := range slices.Backward(possible) {
		if a.steps.charge(a, podsOf(append(slices.Clone(leaving), u))).any(u) {
			spared = append(spared, u)
		} else {
			leaving = append(leaving, u)
		}
	}
	slices.Reverse(leaving)
	slices.Reverse(spared)
	return leaving, spared
}

// spareByBudgets puts those back whose loss violates a budget.
func spareByBudgets(d *dryRun, possible []*unit) (*dryRun, []*unit, Status) {
	leaving, spared := d.sparedByBudgets(possible)
	if len(spared) == 0 {
		return d, possible, Status{}
	}
	if d.steps.fits(d.putBack(spared...)).Code != Success {
		return nil, nil, budgetsForbid
	}
	return d, leaving, Status{}
}

// ascendStrictly is ascend among those whose loss violates no budget.
func (a *attempt) ascendStrictly(s *site, possible []*unit) (*Candidate, Status, error) {
	leaving, spared := a.sparedByBudgets(possible)
	victims, status := a.takeUpTo(s, leaving)
	switch {
	case status.Code == Success && len(victims) == 0:
		return nil, contradiction(s), nil
	case status.Code == Success:
		return a.ascended(s, victims), Status{}, nil
	case len(spared) == 0:
		return nil, status, nil
	}
	if status := a.withAllGone(s, possible); status.Code != Success {
		return nil, status, nil
	}
	return nil, budgetsForbid, nil
}

// withAllGone is the answer of a node with all of these away.
func (a *attempt) withAllGone(s *site, units []*unit) Status {
	return a.steps.fits(a.dryRun(s).takeAway(units...))
}
