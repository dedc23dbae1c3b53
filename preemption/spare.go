package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// Budgets that are charged for the victims alone, and budgets that are never violated (group 13.5).

// chargingVictims charges budgets for the victims alone, and counts a pod that violates any of them once.
// Which pods are victims stays the same (rule 13.5.5).
func (s steps) chargingVictims(ascending bool) steps {
	s.violations = onePerPod
	s.readsTop = plain().readsTop
	s.shows = plain().shows

	// By ascending importance budgets are charged once the victims are known, in the order in which they
	// were taken away (rule 13.3.5). They need not be charged a second time.
	if ascending {
		s.charge = (*attempt).chargeEachToFirst
		return s
	}
	s.charge = (*attempt).charge
	s.recharge = chargeAgain
	return s
}

// chargeAgain charges the budgets for the victims alone, the most important first (rules 13.4.2 and 13.5.5).
func chargeAgain(a *attempt, victims []*unit, _ charges) charges {
	return a.steps.charge(a, podsOf(victims))
}

// budgetsForbid is the answer of a node where each way to make room violates a budget (rule 13.5.2).
var budgetsForbid = Status{Code: Unschedulable, Reasons: []string{"making room would violate a disruption budget"}}

// strict finds victims that violate no budget (rule 13.5.1).
func (s steps) strict(ascending bool) steps {
	if ascending {
		s.victims = (*attempt).ascendStrictly
		return s
	}
	s.spare = spareByBudgets
	return s
}

// sparedByBudgets divides the possible victims into units that may leave and units that budgets spare. Both
// lists are in order of importance, as possible is (rule 13.5.1).
func (a *attempt) sparedByBudgets(possible []*unit) (leaving, spared []*unit) {
	// The least important unit has the first claim on a budget. Each unit is charged together with those
	// that leave by then, so a spared unit takes nothing from any budget.
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

// spareByBudgets puts back the units that budgets spare. In d all possible victims are away, and the pod fits.
// If it no longer fits with the spared units back, the budgets are the reason why the node is not a candidate
// (rule 13.5.2).
func spareByBudgets(d *dryRun, possible []*unit) (*dryRun, []*unit, Status) {
	a := d.attempt
	leaving, spared := a.sparedByBudgets(possible)
	if len(spared) == 0 {
		return d, possible, Status{}
	}
	if a.steps.fits(d.putBack(spared...)).Code != Success {
		return nil, nil, budgetsForbid
	}
	return d, leaving, Status{}
}

// ascendStrictly is ascend among the units that budgets do not spare (rules 13.3.1 and 13.5.1).
func (a *attempt) ascendStrictly(s *site, possible []*unit) (*Candidate, Status, error) {
	leaving, spared := a.sparedByBudgets(possible)
	victims, status := a.takeUpTo(s, leaving)
	switch {
	case status.Code == Success && len(victims) == 0:
		return nil, nobodyHasTo(s), nil
	case status.Code == Success:
		return a.ascended(s, victims), Status{}, nil
	case len(spared) == 0:
		return nil, status, nil
	}

	// There is no room. Budgets are the reason only if there would be room without the spared units, too
	// (rule 13.5.2).
	if status := a.withAllGone(s, possible); status.Code != Success {
		return nil, status, nil
	}
	return nil, budgetsForbid, nil
}

// withAllGone returns the answer of a node with all of the units away (rule 9.3).
func (a *attempt) withAllGone(s *site, units []*unit) Status {
	return a.steps.fits(a.dryRun(s).takeAway(units...))
}

// A guard of the caller says which pods may leave together (group 13.6).

// guarding asks the caller's guard about the units that are away at present. The zero value allows
// everything.
type guarding struct {
	name  string
	state GuardState
}

// guarding begins with these units away (rule 13.6.2).
func (a *attempt) guarding(units ...*unit) *guarding {
	if a.guard == nil {
		return &guarding{}
	}

	g := &guarding{a.config.Guard.Name, a.guard.Clone()}
	for _, u := range units {
		g.remove(u)
	}
	return g
}

// remove tells the guard that a unit has left.
func (g *guarding) remove(u *unit) {
	for _, p := range u.pods {
		g.state.Remove(p.pod, p.site.node)
	}
}

// add tells the guard that a unit has come back.
func (g *guarding) add(u *unit) {
	for _, p := range u.pods {
		g.state.Add(p.pod, p.site.node)
	}
}

// says returns the guard's answer about the units that are away. Of its status only the reasons count: the code
// is always Unschedulable, because other victims may avoid the refusal (rules 13.6.2 and 13.6.4).
func (g *guarding) says() Status {
	if g.state == nil {
		return Status{}
	}
	status := g.state.Check()
	if status.Code == Success {
		return Status{}
	}
	return unschedulableBy(g.name, status.Reasons...)
}

// leaves takes a unit away, unless the guard refuses that together with the units that are away (rule 13.6.3).
func (g *guarding) leaves(u *unit) Status {
	if g.state == nil {
		return Status{}
	}

	g.remove(u)
	status := g.says()
	if status.Code != Success {
		g.add(u)
	}
	return status
}

// comesBack puts a unit back, unless the guard refuses to let the other units stay away without it (rule
// 13.6.5).
func (g *guarding) comesBack(u *unit) Status {
	if g.state == nil {
		return Status{}
	}

	g.add(u)
	status := g.says()
	if status.Code != Success {
		g.remove(u)
	}
	return status
}

// guarded finds the victims among the units that the guard lets go (rules 13.6.3 and 13.6.4). If victims are
// found by ascending importance, it is not checked first whether the loss of all would make room.
func (s steps) guarded(ascending bool) steps {
	find := s.victims
	s.victims = func(a *attempt, s *site, possible []*unit) (*Candidate, Status, error) {
		if a.guard == nil {
			return find(a, s, possible)
		}
		if !ascending {
			if status := a.withAllGone(s, possible); status.Code != Success {
				return nil, status, nil
			}
		}
		return a.findGuarded(s, possible, find)
	}
	return s
}

// findGuarded finds the victims of a node as find does, among the units that the guard lets go. If there
// is no room with these gone, the guard is the reason where it kept a unit and the loss of all possible
// victims would make room (rule 13.6.4).
func (a *attempt) findGuarded(s *site, possible []*unit, find victimFinder) (*Candidate, Status, error) {
	leaving, refusal := a.letGo(possible)
	kept := refusal.Code != Success

	// If the guard keeps every unit, there is nothing to find. If it keeps none, whatever is found is the
	// answer. A contradiction of the filters does not depend on who leaves (rule 9.9).
	if len(leaving) > 0 || !kept {
		c, status, err := find(a, s, leaving)
		if err != nil || !kept || status.Code == Success || status.Code == Contradiction {
			return c, status, err
		}
	}

	if status := a.withAllGone(s, possible); status.Code != Success {
		return nil, status, nil
	}
	return nil, refusal, nil
}

// letGo lists the possible victims that the guard lets go, in order of importance. They leave one after
// the other, the least important first, each in addition to the units that are away by then. A unit stays if
// the guard refuses that. refusal is the first such refusal, Success if there is none (rule 13.6.3).
func (a *attempt) letGo(possible []*unit) (leaving []*unit, refusal Status) {
	guard := a.guarding()
	for _, u := range slices.Backward(possible) {
		switch status := guard.leaves(u); {
		case status.Code == Success:
			leaving = append(leaving, u)
		case refusal.Code == Success:
			refusal = status
		}
	}
	slices.Reverse(leaving)
	return leaving, refusal
}

// nameRules gives each victim the name of the rule by which it may leave together with units. The name is
// empty if the rule is lower priority (rule 13.6.1).
func (a *attempt) nameRules(units []*unit, victims []Victim) {
	guard := a.guarding(units...)
	for i := range victims {
		victims[i].Rule = a.ruleFor(guard, victims[i].Pod)
	}
}

// ruleFor names the rule by which one victim may leave: the guard's rule or, if that is empty, the rule of the
// caller's Take (rule 13.6.1).
func (a *attempt) ruleFor(guard *guarding, victim *outrank.Pod) (rule string) {
	if guard.state != nil {
		rule = guard.state.Rule(victim)
	}

	eligibility := &a.config.Eligibility
	if rule == "" && eligibility.Take != nil {
		rule, _ = eligibility.Take(a.pod, victim)
	}
	return rule
}
