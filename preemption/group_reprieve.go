package preemption

import (
	"fmt"
	"slices"
)

// letUnitsGo divides the possible victims into units that the guard lets go and units that it keeps (rule
// 13.6.8). refusal is what the guard says about the least important unit that it keeps (rule 13.6.10). In the
// returned guard the leaving units are away.
func (g *groupAttempt) letUnitsGo(possible []*unit) (leaving, kept []*unit, refusal Status, guard *guarding) {
	guard = g.attempt.guarding()
	gone := map[*unit]bool{}

	// Units leave one after another, the least important first. Once more of them are away, the guard may let
	// one go that it kept before. So it is asked about the others again, until a round lets none go.
	for before := -1; len(gone) != before; {
		before = len(gone)
		refusal = Status{}
		for _, u := range slices.Backward(possible) {
			if gone[u] {
				continue
			}

			status := guard.leaves(u)
			if status.Code == Success {
				gone[u] = true
			} else if refusal.Code == Success {
				refusal = status
			}
		}
	}

	for _, u := range possible {
		if gone[u] {
			leaving = append(leaving, u)
		} else {
			kept = append(kept, u)
		}
	}
	return leaving, kept, refusal, guard
}

// reprieveUnits puts back, one by one, the units that can stay beside the placed pods (rule 12.9.8). The other
// units are the victims of the plan.
func (g *groupAttempt) reprieveUnits(placed placement, leaving []*unit, guard *guarding) {
	// From now on the earlier nominations of the group's pods count again. A pod that was placed on the node of
	// its nomination counts twice there for the other pods (rule 12.9.9).
	for _, s := range placed.spots {
		s.renominate(g)
	}

	// Budgets are charged as if all of them left, and units that violate one are put back first (rule 12.9.8).
	// The guard may refuse to let a unit back now, but agree once fewer units are away (tryAgain).
	violated := g.attempt.charge(podsOf(leaving))
	away := map[*unit]*Refusal{}
	for _, u := range violatingFirst(leaving, violated) {
		if why := g.putUnitBack(u, placed.spots, guard); why != nil {
			away[u] = why
		}
	}
	g.tryAgain(placed.spots, leaving, away, guard)

	for _, u := range leaving {
		if why := away[u]; why != nil {
			g.addVictims(u, why, violated, guard)
		}
	}

	// There may be no victim at all (rule 12.9.8).
	g.plan.Outcome = Preempts
	g.plan.Placement = placed.assignments()
	g.plan.Nominations = placed.assignments()
	g.say(Success, fmt.Sprintf("found a placement for podgroup, preempting %d victims", len(g.plan.Victims)))
}

// tryAgain puts back units that only the guard keeps away, in order of importance, until a round puts none
// back (rule 13.6.9). With each unit that comes back fewer are away, which may change the guard's answer.
func (g *groupAttempt) tryAgain(spots []*spot, leaving []*unit, away map[*unit]*Refusal, guard *guarding) {
	for before := -1; len(away) != before; {
		before = len(away)
		for _, u := range leaving {
			if why := away[u]; why == nil || why.Guard.Code == Success {
				continue
			}

			if away[u] = g.putUnitBack(u, spots, guard); away[u] == nil {
				delete(away, u)
			}
		}
	}
}

// putUnitBack puts a unit back if every placed pod still fits on its node, and the guard allows the other
// units to stay away without it (rules 12.9.8 and 13.6.9). Otherwise it returns why not, and changes nothing.
func (g *groupAttempt) putUnitBack(u *unit, spots []*spot, guard *guarding) *Refusal {
	// The pods are asked in the order in which they were placed. The unit comes back in copies of their dry
	// runs, so that nothing has changed if one of the pods fails.
	var with []*dryRun
	for _, s := range spots {
		d := s.dryRun.copy().putBack(u)
		if status := d.keepsPlace(); status.Code != Success {
			return &Refusal{Pod: s.pod, Nodes: []Count{{Status: status, Nodes: 1}}}
		}
		with = append(with, d)
	}

	if status := guard.comesBack(u); status.Code != Success {
		return &Refusal{Guard: status}
	}
	for i, s := range spots {
		s.dryRun = with[i]
	}
	return nil
}

// keepsPlace returns the answer of the node on which a pod of the group has its place (rule 12.9.8). Like
// attempt.asThingsAre it heeds what was said before the first node, but it asks in this dry run.
func (d *dryRun) keepsPlace() Status {
	a := d.attempt
	switch {
	case a.refused.Code != Success:
		return a.refused
	case a.before.leavesOut(d.site):
		return a.before.excluded
	}
	return a.steps.fits(d)
}

// renominate makes the nominations to the node of a spot count as they were before the group was placed (rule
// 12.9.9).
func (s *spot) renominate(g *groupAttempt) {
	d := s.dryRun
	renewed := *d.site
	renewed.nominated = nil
	for _, p := range g.cluster.Pods {
		if p.NodeName == "" && p.NominatedNodeName == renewed.name() && !p.Finished() && d.attempt.countsNomination(p) {
			renewed.nominated = append(renewed.nominated, &occupant{pod: p, site: &renewed, nominated: true})
		}
	}
	d.site = &renewed
}

// addVictims adds the pods of a unit to the plan, with the reason why the unit stays away. All of them get the
// rule of the most important one.
func (g *groupAttempt) addVictims(u *unit, why *Refusal, violated charges, guard *guarding) {
	blocks := why.Guard
	if why.Pod != nil {
		blocks = why.Nodes[0].Status
	}

	rule := g.attempt.ruleFor(guard, u.pods[0].pod)
	for _, p := range u.pods {
		g.plan.Victims = append(g.plan.Victims, Victim{
			Pod: p.pod, Node: p.site.name(), Group: u.group, Composite: u.composite, Priority: u.priority,
			Rule: rule, Violated: violated[p], Blocks: blocks, Blocked: why.Pod,
		})
	}
}
