package preemption

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// loss is a unit that has to leave.
type loss struct {
	*unit
	// blocks is what the pod failed with when the unit was put back.
	blocks Status
}

// noVictims is the answer of a node where nobody may leave (rule 9.2).
var noVictims = unresolvableBy("", "No preemption victims found for incoming pod")

// selectVictims finds who has to leave a node (chapter 9): nobody can be more important than the pod,
// and nobody leaves without need. The status says why the node is no candidate. An error is one of the
// caller's chooser.
func (a *attempt) selectVictims(s *site) (*Candidate, Status, error) {
	possible := a.possibleVictims(s)
	if len(possible) == 0 && !a.steps.takesFree(a, s) {
		return nil, noVictims, nil
	}
	return a.steps.victims(a, s, possible)
}

// possibleVictims are the units with a pod on the node that may be taken, the most important first
// (rules 9.1 and 9.4). Each node has its own, so that a group on two nodes is possible on both (rule
// 12.8.7).
func (a *attempt) possibleVictims(s *site) []*unit {
	var possible []*unit
	for _, u := range s.units {
		if a.mayTake(u) {
			possible = append(possible, u)
		}
	}
	return a.byImportance(possible)
}

// removeAndReprieve takes all possible victims away, and puts back those that can stay.
func (a *attempt) removeAndReprieve(s *site, possible []*unit) (*Candidate, Status, error) {
	d := a.dryRun(s).takeAway(possible...)
	if status := a.steps.fits(d); status.Code != Success {
		return nil, status, nil // rule 9.3
	}
	d, leaving, status := a.steps.spare(d, possible)
	if status.Code != Success {
		return nil, status, nil
	}

	// Budgets are charged as if all of them left (rule 6.3.7). Those that violate one are put back
	// first, and so have the better chance to stay, even before more important pods that violate none
	// (rule 9.6).
	violated := a.steps.charge(a, podsOf(leaving))
	victims := a.reprieve(d, violatingFirst(leaving, violated))
	if len(victims) == 0 && !a.steps.takesFree(a, s) {
		return nil, nobodyHasTo(s), nil
	}
	return a.candidate(s, victims, violated), Status{}, nil
}

// reprieve puts the units back one by one. Each stays beside which the pod still fits; the others are
// the victims, each with what it blocks (rule 9.5).
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

		// This is no detour: taken away again, the pod frees a port that another one holds, too, so that
		// the node is not always as it was before (rule 7.6.7).
		d.takeAway(u)
		victims = append(victims, loss{u, status})
	}
	return victims
}

// nobodyHasTo is the answer of a node on which everybody could be put back: with all of them back it
// is as it was when it failed, unless a filter contradicts itself, or that was found elsewhere (rule
// 9.9).
func nobodyHasTo(s *site) Status {
	return Status{Code: Contradiction, Reasons: []string{fmt.Sprintf("expected at least one victim pod on node %q", s.node.Name)}}
}

// candidate puts a candidate together. Victims are listed by importance, unit by unit (rules 9.8 and
// 12.8.5).
func (a *attempt) candidate(s *site, victims []loss, violated charges) *Candidate {
	blocks, units := map[*unit]Status{}, []*unit(nil)
	for _, v := range victims {
		blocks[v.unit] = v.blocks
		units = append(units, v.unit)
	}
	a.byImportance(units)
	violated = a.steps.recharge(a, units, violated)

	c := &Candidate{Node: s.node.Name}
	for _, u := range units {
		for _, p := range u.pods {
			c.Victims = append(c.Victims, a.victim(s, u, p, violated[p], blocks[u]))
		}
	}
	a.nameRules(units, c.Victims)
	c.Score = a.scoreOf(c.Victims)
	c.ClearedNominations = a.clearedNominations(s, c.Victims)
	if len(victims) > 0 {
		a.steps.readsTop(victims, &c.Score)
	}
	return c
}

// victim tells of a pod that has to leave a node as part of a unit, on whatever node it is (rule 12.8.5).
func (a *attempt) victim(s *site, u *unit, p *occupant, violated []*outrank.PodDisruptionBudget, blocks Status) Victim {
	v := Victim{Pod: p.pod, Group: u.group, Composite: u.composite, Priority: u.priority, Violated: violated, Blocks: blocks}
	if p.site != s {
		v.Node = p.site.node.Name
	}
	return v
}
