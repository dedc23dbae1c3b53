package preemption

import (
	"maps"
	"slices"
)

// dryRun is one node while pods are taken away from it and put back. What filters count follows each
// step and is not counted anew, because some of what kube-scheduler does lies in the difference: two
// pods that hold one host port hold it once, and either frees it (rule 7.6.7); a claim counts once
// however many pods use it, and each gives it back (rule 7.8.5); pods that are being deleted do not
// count for a spread constraint, and are counted off all the same (rule 7.12.6).
type dryRun struct {
	*attempt
	site *site
	// pods take room on the node at present.
	pods []*occupant

	takenPorts map[hostPort]bool
	claimUses  int
	spreadBy   []map[string]int
	interpodBy interpodCounts
	states     []FilterState
}

// dryRun begins with the node as things are (rule 9.3).
func (a *attempt) dryRun(s *site) *dryRun {
	d := &dryRun{attempt: a, site: s, pods: slices.Clone(s.running)}
	for i := range a.filters {
		if enter := a.filters[i].enter; enter != nil {
			enter(d)
		}
	}
	return d
}

// copy returns an equal dry run that goes its own way.
func (d *dryRun) copy() *dryRun {
	c := *d
	c.pods = slices.Clone(d.pods)
	c.takenPorts = maps.Clone(d.takenPorts)
	c.spreadBy = slices.Clone(d.spreadBy)
	for i := range c.spreadBy {
		c.spreadBy[i] = maps.Clone(d.spreadBy[i])
	}
	c.interpodBy = d.interpodBy.copy()
	c.states = slices.Clone(d.states)
	for i, s := range c.states {
		if s != nil {
			c.states[i] = s.Clone()
		}
	}
	return &c
}

// takeAway takes units away whole. Of their pods on other nodes only what filters count over several
// nodes changes: there is room to be had on this node alone (rule 12.8.2).
func (d *dryRun) takeAway(units ...*unit) *dryRun {
	for _, u := range units {
		for _, p := range u.pods {
			d.remove(p)
		}
	}
	return d
}

// putBack puts units back whole, as takeAway takes them away (rules 9.5 and 12.8.3).
func (d *dryRun) putBack(units ...*unit) *dryRun {
	for _, u := range units {
		for _, p := range u.pods {
			d.add(p)
		}
	}
	return d
}

// remove takes one pod away.
func (d *dryRun) remove(p *occupant) {
	if d.here(p) {
		d.pods = slices.DeleteFunc(d.pods, func(q *occupant) bool { return q == p })
	}
	d.follow(p, -1)
}

// add puts one pod back, or has it come.
func (d *dryRun) add(p *occupant) {
	if d.here(p) {
		d.pods = append(d.pods, p)
	}
	d.follow(p, 1)
}

// here reports whether a pod is on the node, or expected there.
func (d *dryRun) here(p *occupant) bool { return p.site.node == d.site.node }

// follow tells the filters of a pod that has come to its node (by is 1) or left it (-1): each counts in its own way
// (rules 7.6.7, 7.8.5, 7.12.6 and 7.13.7).
func (d *dryRun) follow(p *occupant, by int) {
	for i := range d.filters {
		if follow := d.filters[i].follow; follow != nil {
			follow(d, p, by)
		}
	}
}
