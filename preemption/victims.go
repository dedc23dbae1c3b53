package preemption

import (
	"fmt"
	"slices"
)

// loss is a unit that has to leave.
type loss struct {
	*unit
	// blocks is what the pod failed with when the unit was put back.
	blocks Status
}

// noVictims is the answer of a node without possible victims (rule 9.2).
var noVictims = unresolvableBy("", "No preemption victims found for incoming pod")

// selectVictims finds the units that have to leave a node (chapter 9): only units that may be taken, and
// none without need. The status says why the node is not a candidate. An error comes from the caller's chooser,
// or says that there are too many sets of victims to try.
func (a *attempt) selectVictims(s *site) (*Candidate, Status, error) {
	possible := a.possibleVictims(s)
	if len(possible) == 0 && !a.steps.takesFree(a, s) {
		return nil, noVictims, nil
	}
	return a.steps.victims(a, s, possible)
}

// possibleVictims lists the units with a pod on the node that may be taken, the most important first
// (rules 9.1 and 9.4). Each node has its own list: a group on two nodes is listed in both (rule 12.8.7).
func (a *attempt) possibleVictims(s *site) []*unit {
	var possible []*unit
	for _, u := range s.units {
		if a.mayTake(u) {
			possible = append(possible, u)
		}
	}
	return a.byImportance(possible)
}

// removeAndReprieve takes all possible victims away, and then puts back one after the other each that
// leaves the pod its room. The others are the victims.
//
// internal/proof/victims.dfy proves that each pod stays or is a victim (NobodyIsLost), that the preemptor fits once
// the victims are gone (ThePodFits), and not if only some of them are (NoVictimCouldStay).
func (a *attempt) removeAndReprieve(s *site, possible []*unit) (*Candidate, Status, error) {
	// The node is out if not even the loss of all of them makes room (rule 9.3).
	d := a.dryRun(s).takeAway(possible...)
	if status := a.steps.fits(d); status.Code != Success {
		return nil, status, nil
	}
	d, leaving, status := a.steps.spare(d, possible)
	if status.Code != Success {
		return nil, status, nil
	}

	// Budgets are charged before any pod is put back, as if all of them left (rule 6.3.7). So a unit may
	// count as violating a budget that in the end would have had room for it.
	violated := a.steps.charge(a, podsOf(leaving))

	// Units that violate a budget are put back first. So they have the better chance to stay, even before
	// more important ones that violate none (rule 9.6).
	victims := a.reprieve(d, violatingFirst(leaving, violated))
	if len(victims) == 0 && !a.steps.takesFree(a, s) {
		return nil, nobodyHasTo(s), nil
	}
	return a.candidate(s, victims, violated), Status{}, nil
}

// reprieve puts the units, which are all away, back one after the other. A unit stays if the pod still fits and
// the guard agrees (rules 9.5 and 13.6.5). The others are the victims, each with what it blocks.
func (a *attempt) reprieve(d *dryRun, units []*unit) []loss {
	var victims []loss
	guard := a.guarding(units...)
	for _, u := range units {
		status := a.steps.fits(d.putBack(u))
		if status.Code == Success {
			status = guard.comesBack(u)
		}
		if status.Code == Success {
			continue
		}

		// Putting a unit back and taking it away again may change the node: a port that another pod also holds
		// is then free (rule 7.6.7). A copy made before would not show that.
		d.takeAway(u)
		victims = append(victims, loss{u, status})
	}
	return victims
}

// nobodyHasTo returns the answer of a node on which every unit could be put back (rule 9.9). The node is then
// as it was when it turned the pod down. So a filter contradicts itself, or the node's status came from the
// caller's scheduler, which has other filters.
func nobodyHasTo(s *site) Status {
	return Status{Code: Contradiction, Reasons: []string{fmt.Sprintf("expected at least one victim pod on node %q", s.node.Name)}}
}

// candidate puts a candidate together from its victims, in the order in which they were found, and the
// budgets that they violate. It lists the victims by importance, unit by unit (rules 9.8 and 12.8.5).
func (a *attempt) candidate(s *site, found []loss, violated charges) *Candidate {
	losses := slices.Clone(found)
	slices.SortFunc(losses, func(l, m loss) int { return a.compareUnits(l.unit, m.unit) })
	units := lostUnits(losses)

	// Where only the victims are charged for budgets, they are known by now (rule 13.5.5).
	violated = a.steps.recharge(a, units, violated)

	c := &Candidate{Node: s.node.Name}
	for _, l := range losses {
		c.Victims = append(c.Victims, l.victims(s, violated)...)
	}
	a.nameRules(units, c.Victims)

	// The score comes last, because it counts the violated budgets of the victims, too (rule 9.7).
	c.Score = a.scoreOf(c.Victims)
	if len(found) > 0 {
		a.steps.readsTop(found, &c.Score)
	}
	c.ClearedNominations = a.clearedNominations(s, c.Victims)
	return c
}

// lostUnits lists the units of losses, in the order of the losses.
func lostUnits(losses []loss) []*unit {
	var units []*unit
	for _, l := range losses {
		units = append(units, l.unit)
	}
	return units
}

// victims lists the pods of a unit that leaves a node. The unit leaves whole: a pod on another node leaves
// with it, and names that node (rule 12.8.5).
func (l loss) victims(s *site, violated charges) []Victim {
	var victims []Victim
	for _, p := range l.pods {
		v := Victim{
			Pod: p.pod, Group: l.group, Composite: l.composite, Priority: l.priority,
			Violated: violated[p], Blocks: l.blocks,
		}
		if on := p.site; on != s {
			v.Node = on.node.Name
		}
		victims = append(victims, v)
	}
	return victims
}
