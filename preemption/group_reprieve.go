package preemption

import (
	"fmt"
	"slices"
)

// letUnitsGo parts the possible victims into those that the guard lets go and those that it keeps. They
// leave one after the other, the least important first, and those that stay are asked about again, until
// a turn lets nobody go. The status is what it says of the least important one that it keeps (rules
// 13.6.8 and 13.6.10).
func (g *groupAttempt) letUnitsGo(possible []*unit) (leaving, kept []*unit, refusal Status, guard *guarding) {
	guard = g.guarding()
	gone := map[*unit]bool{}
	for before := -1; len(gone) != before; {
		before, refusal = len(gone), Status{}
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

// reprieveUnits puts the units back one by one, those that violate a budget first, each if every placed
// pod still passes on its node and the guard allows that the others stay away (rules 12.9.8 and 13.6.9).
// It writes the plan.
func (g *groupAttempt) reprieveUnits(placed placement, leaving []*unit, guard *guarding) {
	// From now on the nominations of all pods of the group count again, so that one that had one before
	// counts twice there for the others (rule 12.9.9).
	for _, s := range placed.spots {
		s.renominate(g)
	}

	violated := g.charge(podsOf(leaving))
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
	g.plan.Outcome, g.plan.Placement, g.plan.Nominations = Preempts, placed.assignments(), placed.assignments()
	g.say(Success, fmt.Sprintf("found a placement for podgroup, preempting %d victims", len(g.plan.Victims)))
}

// tryAgain puts units back that the guard alone kept away, in order of importance, as long as that puts
// any back: fewer are away by then (rule 13.6.9).
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

// putUnitBack puts a unit back if every placed pod still passes on its node, asked in the order in which they were
// placed, and the guard agrees (rules 12.9.8 and 13.6.9). Otherwise it returns why not, and the unit stays away.
func (g *groupAttempt) putUnitBack(u *unit, spots []*spot, guard *guarding) *Refusal {
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

// keepsPlace is the answer of the node on which a pod of the group has its place (rule 12.9.8).
func (d *dryRun) keepsPlace() Status {
	switch {
	case d.refused.Code != Success:
		return d.refused
	case d.before.leavesOut(d.site):
		return d.before.excluded
	}
	return d.steps.fits(d)
}

// renominate has the nominations count on the node of a spot that there were before the group was placed (rule
// 12.9.9).
func (s *spot) renominate(g *groupAttempt) {
	renewed := *s.dryRun.site
	renewed.nominated = nil
	for _, p := range g.cluster.Pods {
		if p.NodeName == "" && p.NominatedNodeName == renewed.node.Name && !p.Finished() && s.dryRun.countsNomination(p) {
			renewed.nominated = append(renewed.nominated, &occupant{pod: p, site: &renewed, nominated: true})
		}
	}
	s.dryRun.site = &renewed
}

// addVictims adds the pods of a unit to the plan. The rule is that of the most important of them.
func (g *groupAttempt) addVictims(u *unit, why *Refusal, violated charges, guard *guarding) {
	blocks := why.Guard
	if why.Pod != nil {
		blocks = why.Nodes[0].Status
	}
	rule := g.ruleFor(guard, u.pods[0].pod)
	for _, p := range u.pods {
		g.plan.Victims = append(g.plan.Victims, Victim{
			Pod: p.pod, Node: p.site.node.Name, Group: u.group, Composite: u.composite, Priority: u.priority,
			Rule: rule, Violated: violated[p], Blocks: blocks, Blocked: why.Pod,
		})
	}
}
