package preemption

import (
	"fmt"
	"slices"
)

// across reports whether victims on several nodes are looked for (chapter 23).
func (c *Config) across() bool {
	_, across := c.Victims.(Across)
	return across
}

// findAcross looks for the best victims for every node where the loss of pods may help (rule 23.2). Pods on
// other nodes may be among them.
func (a *attempt) findAcross(answers []answer) error {
	for i := range answers {
		one := &answers[i]
		if one.before.Code != Unschedulable {
			continue
		}
		var err error
		if one.candidate, one.after, err = a.bestAcross(one.site); err != nil {
			return err
		}
		one.tried = true
	}
	return nil
}

// bestAcross finds the best candidate for a node by trying every set of possible victims (rule 23.7). The
// status says why there is none.
func (a *attempt) bestAcross(s *site) (*Candidate, Status, error) {
	possible, blocked := a.possibleAcross(s)
	switch {
	case blocked.Code != Success:
		return nil, blocked, nil
	case len(possible) == 0:
		return nil, noVictims, nil
	case len(possible) > mostUnits:
		return nil, Status{}, fmt.Errorf("node %s: %w", s.name(), errTooMany)
	}

	best, victims, err := a.bestSetAcross(s, possible)
	if err != nil {
		return nil, Status{}, err
	}
	if best != nil {
		return a.blockedBy(s, best, victims)
	}

	// No set will do, and the last one tried was the set of all possible victims. If that set makes room, it
	// is budgets that stand in the way.
	status, err := a.asIfNeverThere(s, possible)
	if status.Code == Success {
		status = budgetsForbid
	}
	return nil, status, err
}

// bestSetAcross returns the best by the ranks of all sets of possible victims that make room, as a candidate
// and as units; nil if none does. Sets come in the order of rule 23.8, and only a better one takes the place
// of the best so far: so of equal sets the one stays that keeps the most important pod in which they differ.
func (a *attempt) bestSetAcross(s *site, possible []*unit) (best *Candidate, victims []*unit, err error) {
	strict := a.config.Budgets == NeverViolate
	for set := range eachSet(len(possible)) {
		units := chosenBy(set, possible)
		c := a.candidate(s, lossesWithoutReason(units), a.steps.charge(a, podsOf(units)))
		if strict && c.Score.Violations > 0 {
			continue // rule 23.7
		}
		if best != nil {
			if order, _ := a.compare(c, best); order >= 0 {
				continue
			}
		}

		// This check builds a whole cluster, so it is left to sets that would be the best.
		status, err := a.asIfNeverThere(s, units)
		if err != nil {
			return nil, nil, err
		}
		if status.Code == Success {
			best, victims = c, units
		}
	}
	return best, victims, nil
}

// blockedBy adds to a candidate what each of its victims blocks: the answer of the node with that victim
// there and the others not (rule 23.9).
func (a *attempt) blockedBy(s *site, c *Candidate, victims []*unit) (*Candidate, Status, error) {
	for i, u := range victims {
		others := slices.DeleteFunc(slices.Clone(victims), func(v *unit) bool { return v == u })
		status, err := a.asIfNeverThere(s, others)
		if err != nil {
			return nil, Status{}, err
		}
		c.Victims[i].Blocks = status
	}
	return c, Status{}, nil
}

// asIfNeverThere returns the answer of a node in a cluster in which units have never been (rule 23.9). A dry
// run would not do: what filters count then depends on what was there before.
func (a *attempt) asIfNeverThere(s *site, units []*unit) (Status, error) {
	other := newAttempt(without(a.cluster, units), a.config, a.pod, a.now)
	if err := other.prepare(); err != nil {
		return Status{}, err
	}
	return other.asThingsAre(other.sites[s.position]), nil
}

// possibleAcross lists the pods that can be victims for a node, the most important first: pods on the node, and
// pods on other nodes that anti-affinity or a constraint counts in a domain of the node (rules 23.1 and 23.5).
// blocked is the answer of anti-affinity if a pod that counts for it may not leave: the node is not a candidate
// then (rule 23.3). It is Success if there is no such pod.
func (a *attempt) possibleAcross(s *site) (possible []*unit, blocked Status) {
	var far []*occupant
	for _, other := range a.sites {
		if other != s {
			far = append(far, other.running...)
		}
	}
	byImportance := func(p, q *occupant) int { return a.importance(p.pod, q.pod) }
	here := slices.SortedFunc(slices.Values(s.running), byImportance)
	slices.SortFunc(far, byImportance)

	// Pods on the node come first: the first pod that may not leave determines the answer.
	skewed := a.skewedBy(s, far)
	for _, p := range append(here, far...) {
		apart := a.keepsApart(p, s)
		switch {
		case a.mayLeaveAlone(p) && (p.site == s || apart.Code != Success || skewed && a.countsFor(p, s)):
			possible = append(possible, p.unit)
		case apart.Code != Success && blocked.Code == Success:
			blocked = apart
		}
	}
	return a.byImportance(possible), blocked
}

// mayLeaveAlone reports whether the preemptor may take a pod, and the pod can be a victim across nodes. A pod
// that names a group cannot where units leave together. Neither can a pod that a constraint no longer counts
// because it is being deleted (rule 23.6).
func (a *attempt) mayLeaveAlone(p *occupant) bool {
	ceased := p.pod.Terminating() && slices.ContainsFunc(a.spread, func(c constraint) bool { return a.selects(&c, p.pod) })
	return a.mayTake(p.unit) && p.unit.kind == ofPod && !ceased
}

// keepsApart returns the answer of anti-affinity about a node with one other pod alone; Success if neither that
// pod nor the preemptor keeps away from the other (rule 23.3).
func (a *attempt) keepsApart(p *occupant, s *site) Status {
	// The filter may be off, or have nothing to say about the preemptor (rule 7.13.15).
	if !slices.ContainsFunc(a.filters, func(f builtInFilter) bool { return f.name == InterPodAffinity }) {
		return Status{}
	}

	// A dry run that has counted no other pod gives the answer about this pod alone.
	alone := &dryRun{attempt: a, pod: a.pod, site: s}
	a.countInterpod(&alone.interpodBy, p, 1)
	switch {
	case alone.antiAffinityBroken():
		return unschedulableBy(InterPodAffinity, antiAffinityText)
	case alone.existingAntiAffinityBroken():
		return unschedulableBy(InterPodAffinity, existingAntiAffinityText)
	}
	return Status{}
}

// skewedBy reports whether pods that a constraint counts may have to leave other nodes (rule 23.4). They may if
// a constraint fails on the node, with or without the pods that are nominated to it. They also may if
// anti-affinity makes a pod leave another node, because the emptiest domain may then be emptier.
func (a *attempt) skewedBy(s *site, far []*occupant) bool {
	d := a.dryRun(s)
	if len(a.spread) == 0 || d.spreadBy == nil {
		return false // there are no constraints, or the filter is off
	}
	return d.askSpread().Code != Success || d.with(d.promised()).askSpread().Code != Success ||
		slices.ContainsFunc(far, func(p *occupant) bool { return a.keepsApart(p, s).Code != Success })
}

// countsFor reports whether a constraint counts a pod in the domain of the node (rule 23.4).
func (a *attempt) countsFor(p *occupant, s *site) bool {
	return slices.ContainsFunc(a.spread, func(c constraint) bool {
		domain, ok := s.label(c.key)
		if !ok || c.counts == nil || !c.counts[p.site.position] {
			return false // c.counts is nil if the filter is off
		}
		other, _ := p.site.label(c.key)
		return other == domain && a.selects(&c, p.pod)
	})
}
