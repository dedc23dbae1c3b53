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

// findAcross looks for the best victims on every node where the loss of pods may help, pods of other
// nodes among them (rule 23.2).
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

// bestAcross tries every set of pods with which there is room on a node, and keeps the best by the ranks.
// Of equal ones that is the one which keeps the most important pod in which they differ (rules 23.7 and
// 23.8).
func (a *attempt) bestAcross(s *site) (*Candidate, Status, error) {
	possible, blocked := a.possibleAcross(s)
	switch {
	case blocked.Code != Success:
		return nil, blocked, nil
	case len(possible) == 0:
		return nil, noVictims, nil
	case len(possible) > mostUnits:
		return nil, Status{}, fmt.Errorf("node %s: %w", s.node.Name, errTooMany)
	}

	strict := a.config.Budgets == NeverViolate
	var best *Candidate
	var victims []*unit
	for set := range eachSet(len(possible)) {
		units := chosenBy(set, possible)
		c := a.candidate(s, lossesWithoutReason(units), a.steps.charge(a, podsOf(units)))
		if strict && c.Score.Violations > 0 {
			continue
		}
		if best != nil {
			if order, _ := a.compare(c, best); order >= 0 {
				continue
			}
		}
		status, err := a.asIfNeverThere(s, units)
		if err != nil {
			return nil, Status{}, err
		}
		if status.Code == Success {
			best, victims = c, units
		}
	}
	if best == nil {
		status, err := a.asIfNeverThere(s, possible)
		if status.Code == Success {
			status = budgetsForbid
		}
		return nil, status, err
	}
	return a.blockedBy(s, best, victims)
}

// blockedBy adds what each of the victims blocks: what is said with it alone there (rule 23.9).
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

// asIfNeverThere is the answer of a node in a cluster in which units have never been (rule 23.9).
func (a *attempt) asIfNeverThere(s *site, units []*unit) (Status, error) {
	other := newAttempt(without(a.cluster, units), a.config, a.pod, a.now)
	if err := other.prepare(); err != nil {
		return Status{}, err
	}
	return other.asThingsAre(other.sites[s.position]), nil
}

// possibleAcross are the pods that can be victims for a node, the most important first: those on it, and
// those of other nodes that anti-affinity or a constraint counts in a domain of the node (rules 23.1 and
// 23.5). If one that has to leave may not, the status says so, of several that of the most important one,
// those on the node first (rule 23.3).
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

// mayLeaveAlone: pods that name a group, where units leave together, are no victims, and nor are those
// that a constraint has ceased to count because they are being deleted (rule 23.6).
func (a *attempt) mayLeaveAlone(p *occupant) bool {
	ceased := p.pod.Terminating() && slices.ContainsFunc(a.spread, func(c constraint) bool { return a.selects(&c, p.pod) })
	return a.mayTake(p.unit) && p.unit.kind == ofPod && !ceased
}

// keepsApart is what InterPodAffinity says of a node because of one pod in a domain of it; Success if that
// does not count for anti-affinity (rule 23.3).
func (a *attempt) keepsApart(p *occupant, s *site) Status {
	if !slices.ContainsFunc(a.filters, func(f builtInFilter) bool { return f.name == InterPodAffinity }) {
		return Status{}
	}
	alone := &dryRun{attempt: a, site: s}
	a.countInterpod(&alone.interpodBy, p, 1)
	switch {
	case alone.antiAffinityBroken():
		return unschedulableBy(InterPodAffinity, antiAffinityText)
	case alone.existingAntiAffinityBroken():
		return unschedulableBy(InterPodAffinity, existingAntiAffinityText)
	}
	return Status{}
}

// skewedBy reports whether pods that a constraint counts may have to leave other nodes: a constraint fails
// on the node, or another pod has to leave one of them, which may lower the count of its domain (rule 23.4).
func (a *attempt) skewedBy(s *site, far []*occupant) bool {
	d := a.dryRun(s)
	if len(a.spread) == 0 || d.spreadBy == nil {
		return false
	}
	return d.askSpread().Code != Success || d.with(d.promised()).askSpread().Code != Success ||
		slices.ContainsFunc(far, func(p *occupant) bool { return a.keepsApart(p, s).Code != Success })
}

// countsFor reports whether a constraint counts a pod in the domain of the node (rule 23.4).
func (a *attempt) countsFor(p *occupant, s *site) bool {
	return slices.ContainsFunc(a.spread, func(c constraint) bool {
		at, ok := s.node.Labels[c.key]
		return ok && c.counts != nil && c.counts[p.site.position] && p.site.node.Labels[c.key] == at && a.selects(&c, p.pod)
	})
}
