package reference

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// selectVictims finds the pods that have to leave the node (chapter 9).
func (a *attempt) selectVictims(n *outrank.Node) (Candidate, Status) {
	// Step 1: the possible victims.
	possible := a.possibleVictims(n)
	if len(possible) == 0 && !(a.variant.TakeFree && a.scene(n).fitsBesideNominated().Code == Success) {
		return Candidate{}, unresolvable("", "No preemption victims found for incoming pod")
	}
	a.sortUnits(possible)
	without := func(units []*unit) *scene {
		s := a.scene(n)
		for _, u := range units {
			s = s.removeUnit(u)
		}
		return s
	}
	all := possible
	possible, refusal := a.letGo(all)
	if a.variant.Ascending {
		c, status := a.selectAscending(n, possible)
		if (status.Code != Success || len(possible) == 0) && refusal.Code != Success {
			return Candidate{}, a.orRefusal(without(all), refusal)
		}
		return c, status
	}
	// Step 2: does it help to remove all of them, and those that the guard lets go?
	if status := without(all).fitsBesideNominated(); status.Code != Success {
		return Candidate{}, status
	}
	empty := without(possible)
	if len(possible) == 0 && len(all) > 0 || empty.fitsBesideNominated().Code != Success {
		return Candidate{}, refusal
	}
	if spared := a.spared(possible); len(spared) > 0 {
		for _, u := range spared {
			empty = empty.addUnit(u)
		}
		if empty.fitsBesideNominated().Code != Success {
			return Candidate{}, budgetsForbid
		}
		possible = slices.DeleteFunc(possible, func(u *unit) bool { return slices.Contains(spared, u) })
	}
	// Steps 3 and 4: by importance, put back those beside which the preemptor fits.
	broken := a.broken(podsOf(possible))
	violating, others := split(possible, broken)
	victims := a.reprieve(empty, slices.Concat(violating, others))
	// Step 5: the others are the victims.
	if len(victims) == 0 && !a.variant.TakeFree {
		// With all of them back the node is as it was when it failed, unless that was
		// found elsewhere.
		return Candidate{}, Status{Code: Contradiction, Reasons: []string{fmt.Sprintf("expected at least one victim pod on node %q", n.Name)}}
	}
	if a.variant.VictimsAlone {
		a.sortUnits(victims)
		broken = a.broken(podsOf(victims))
	}
	c := a.candidate(n, broken, victims)
	if a.variant.ReadFirst && len(victims) > 0 {
		c.Top = victims[0].pods[0].PriorityValue()
	}
	return c, Status{}
}

// selectAscending is selectVictims where pods are taken from the least important up.
func (a *attempt) selectAscending(n *outrank.Node, possible []*unit) (Candidate, Status) {
	spared := a.spared(possible)
	free := slices.DeleteFunc(slices.Clone(possible), func(u *unit) bool { return slices.Contains(spared, u) })
	victims, status := a.removeAscending(a.scene(n), free)
	if status.Code == Success && len(victims) == 0 {
		return Candidate{}, Status{Code: Contradiction, Reasons: []string{fmt.Sprintf("expected at least one victim pod on node %q", n.Name)}}
	}
	if status.Code == Success {
		return a.candidate(n, a.broken(podsOf(victims)), victims), Status{}
	}
	if len(spared) > 0 {
		without := a.scene(n)
		for _, u := range possible {
			without = without.removeUnit(u)
		}
		if status = without.fitsBesideNominated(); status.Code == Success {
			status = budgetsForbid
		}
	}
	return Candidate{}, status
}

// possibleVictims are the units with a pod on the node that may be pushed out. Each node
// has its own, so that a unit on two nodes is possible on both (rules 12.8.1 and 12.8.7).
func (a *attempt) possibleVictims(n *outrank.Node) []*unit {
	var possible []*unit
	for _, u := range a.units() {
		here := func(p *outrank.Pod) bool { return p.NodeName == n.Name }
		if slices.ContainsFunc(u.pods, here) && a.mayPreemptUnit(u) {
			possible = append(possible, u)
		}
	}
	return possible
}

// reprieve puts the units back one by one, and leaves those in place beside which the
// preemptor fits and without which the guard lets the rest stay away. It returns the
// others.
func (a *attempt) reprieve(s *scene, units []*unit) []*unit {
	var victims []*unit
	for i, u := range units {
		with := s.addUnit(u)
		away := slices.Concat(victims, units[i+1:])
		if with.fitsBesideNominated().Code == Success && a.guards(away).Code == Success {
			s = with
		} else {
			s = with.removeUnit(u)
			victims = append(victims, u)
		}
	}
	return victims
}

// guards is the status of the caller's guard for units that are gone together.
func (a *attempt) guards(gone []*unit) Status {
	if a.variant.Guard == nil {
		return Status{}
	}
	return a.variant.Guard(podsOf(gone))
}

// letGo lists the possible victims that the guard lets go one after the other, the
// least important first, and its status for the first that it kept (rule 13.6.3).
func (a *attempt) letGo(possible []*unit) (gone []*unit, refusal Status) {
	for _, u := range slices.Backward(possible) {
		with := slices.Concat([]*unit{u}, gone)
		switch status := a.guards(with); {
		case status.Code == Success:
			gone = with
		case refusal.Code == Success:
			refusal = status
		}
	}
	return gone, refusal
}

// orRefusal is the obstacle with all of them gone, or else that the guard kept some.
func (a *attempt) orRefusal(everybodyGone *scene, refusal Status) Status {
	if status := everybodyGone.fitsBesideNominated(); status.Code != Success {
		return status
	}
	return refusal
}

// candidate lists the victims by importance, unit by unit, and counts the pods that
// break a budget (rules 12.8.4 and 12.8.5).
func (a *attempt) candidate(n *outrank.Node, broken map[*outrank.Pod]int, victims []*unit) Candidate {
	victims = slices.Clone(victims)
	a.sortUnits(victims)
	c := Candidate{Node: n.Name, Victims: podsOf(victims)}
	c.Violations = a.variant.violationsOf(broken, c.Victims)
	if len(c.Victims) > 0 {
		c.Top = c.Victims[0].PriorityValue()
	}
	for _, p := range c.Victims {
		c.Details = append(c.Details, Victim{Pod: p, Violates: broken[p] > 0})
	}
	return c
}

// removeAscending takes the possible victims away, the least important first, until
// the preemptor fits (rule 13.3.1). Those taken away are the victims.
func (a *attempt) removeAscending(s *scene, possible []*unit) ([]*unit, Status) {
	var gone []*unit
	status := s.fitsBesideNominated()
	for _, u := range slices.Backward(possible) {
		s = s.removeUnit(u)
		gone = append(gone, u)
		if status = s.fitsBesideNominated(); status.Code == Success {
			break
		}
	}
	return gone, status
}

// selectVictimsOn tries the nodes until there are enough candidates, one of which
// violates no budget (rules 10.1.2 to 10.1.5). It returns the candidates in the order
// of the nodes.
func (a *attempt) selectVictimsOn(nodes []*outrank.Node, d *Decision) {
	sample := a.variant.Sample
	enough := len(nodes)
	if sample != nil {
		enough = sample.Enough(len(nodes))
	}
	free, violating := 0, 0
	for _, n := range sample.inTurn(nodes) {
		c, status := a.selectVictims(n)
		switch {
		case status.Code != Success:
			d.NonCandidates[n.Name] = status
			continue
		case enough == 0:
			continue // the list has no room at all
		case c.Violations == 0:
			free++
		case violating == enough:
			continue // the list of these is full
		default:
			violating++
		}
		d.Candidates = append(d.Candidates, c)
		if free > 0 && free+violating >= enough {
			break
		}
	}
	slices.SortFunc(d.Candidates, func(c, e Candidate) int {
		return cmp.Compare(a.position(c.Node), a.position(e.Node))
	})
}
