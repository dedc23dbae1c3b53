package tenancy

import "slices"

// takeFurther adds victims by the further rules of the preemptor's queue, after those of its policy were not enough. It
// goes trigger by trigger, each time in the order of before (rules 24.9.2 and 24.9.4). It returns the extended lists,
// and whether the preemptor fits.
func (d *decision) takeFurther(taken []Taken, holders []*holder, fits func() bool) ([]Taken, []*holder, bool) {
	if len(d.nodes[d.incoming.at].further) == 0 {
		return taken, holders, false
	}

	gone := map[*holder]bool{}
	for _, h := range holders {
		gone[h] = true
	}

	// These rules apply whether or not the victims' queues stay within their quota (rule 24.9.4).
	for _, trigger := range triggers {
		for _, x := range d.furtherCandidates(trigger, gone) {
			d.add(x.at, x.uses, -1)
			gone[x.holder] = true
			taken = append(taken, Taken{*x.Workload, ruleConfigured + x.rule.Name})
			holders = append(holders, x.holder)
			if fits() {
				return taken, holders, true
			}
		}
	}
	return taken, holders, false
}

// selected is a candidate with the rule that names it as a victim: the first one that selects it (rule 24.9.5).
type selected struct {
	*holder
	rule *Selection
}

// furtherCandidates lists the candidates of the rules with this trigger that are not gone yet, in the order in which they
// are preempted.
func (d *decision) furtherCandidates(trigger string, gone map[*holder]bool) (out []selected) {
	rules, preemptor := d.nodes[d.incoming.at].further, d.party(&d.incoming)
	for i := range d.admitted {
		h := &d.admitted[i]
		if gone[h] || !d.usesContested(h) {
			continue
		}
		candidate := d.party(h)
		r := slices.IndexFunc(rules, func(s Selection) bool { return s.Trigger == trigger && s.selects(candidate, preemptor) })
		if r >= 0 {
			out = append(out, selected{h, &rules[r]})
		}
	}
	slices.SortFunc(out, func(a, b selected) int { return d.before(a.holder, b.holder) })
	return out
}

// party returns what selectors read of a workload.
func (d *decision) party(h *holder) *party {
	n := &d.nodes[h.at]
	return &party{
		at: h.at, parent: n.parent, top: d.root(h.at), hasParent: n.parent != none, queue: n.labels, labels: h.Labels,
		local: h.LocalQueue, class: h.Class, base: int64(h.Priority), boosted: h.effective(),
	}
}

// spares reports whether an open window spares a candidate from a rule, and records in retryAt when the first such window
// ends (rules 24.8.1 to 24.8.4). No window spares a workload that is leaving already.
func (d *decision) spares(h *holder, rule string) bool {
	if h.Leaving {
		return false
	}
	end := d.req.Protection.until(rule, h.Started, d.req.Now)
	if end.IsZero() {
		return false
	}
	if d.retryAt.IsZero() || end.Before(d.retryAt) {
		d.retryAt = end
	}
	return true
}
