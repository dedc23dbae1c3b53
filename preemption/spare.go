package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

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

// chargeAgain charges the budgets for the victims alone, the most important first (rules 13.4.2 and 13.5.5).
func chargeAgain(a *attempt, victims []*unit, _ charges) charges {
	return a.steps.charge(a, podsOf(victims))
}

// budgetsForbid is the answer of a node with room for no violation at all (rule 13.5.2).
var budgetsForbid = Status{Code: Unschedulable, Reasons: []string{"making room would violate a disruption budget"}}

// strict never violates a budget (rule 13.5.1).
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

// spareByBudgets puts those back whose loss violates a budget, where all possible victims make room (rule 13.5.2).
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

// ascendStrictly is ascend among those whose loss violates no budget (rules 13.3.1 and 13.5.1).
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
	if status := a.withAllGone(s, possible); status.Code != Success {
		return nil, status, nil
	}
	return nil, budgetsForbid, nil
}

// withAllGone is the answer of a node with all of these away (rule 9.3).
func (a *attempt) withAllGone(s *site, units []*unit) Status {
	return a.steps.fits(a.dryRun(s).takeAway(units...))
}

// A guard of the caller says which pods may leave together (group 13.6).

// guarding follows who is away from a node, for the caller's guard. The zero value allows everything.
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

// says is what the guard says of those that are away (rule 13.6.2).
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

// leaves has a unit leave beside those that are away, unless the guard refuses that (rule 13.6.3).
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

// comesBack has a unit come back, unless the guard refuses that the others stay away then (rule 13.6.5).
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

// guarded has the victims found among those that the guard lets go. The node is out if the filters do
// not pass with all possible victims gone, and by the guard if they pass only then (rule 13.6.4). By
// ascending importance the first is asked only where nobody is found.
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

		leaving, refusal := a.letGo(possible)
		if len(leaving) > 0 || refusal.Code == Success {
			c, status, err := find(a, s, leaving)
			if err != nil || status.Code == Success || status.Code == Contradiction || refusal.Code == Success {
				return c, status, err
			}
		}
		if status := a.withAllGone(s, possible); status.Code != Success {
			return nil, status, nil
		}
		return nil, refusal, nil
	}
	return s
}

// letGo lists the possible victims that the guard lets go, in their order: they leave one after the
// other, the least important first, and each stays whose loss the guard refuses beside those that are
// away by then. The status is what it said of the first that it kept (rule 13.6.3).
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

// nameRules names the rule by which each victim may be one: the guard's, or else that of the caller who
// says who may take from whom. Where lower priority is the rule there is no name.
func (a *attempt) nameRules(units []*unit, victims []Victim) {
	guard := a.guarding(units...)
	for i := range victims {
		victims[i].Rule = a.ruleFor(guard, victims[i].Pod)
	}
}

// ruleFor names the rule for one victim (rule 13.6.1).
func (a *attempt) ruleFor(guard *guarding, victim *outrank.Pod) (rule string) {
	if guard.state != nil {
		rule = guard.state.Rule(victim)
	}
	if take := a.config.Eligibility.Take; rule == "" && take != nil {
		rule, _ = take(a.pod, victim)
	}
	return rule
}
