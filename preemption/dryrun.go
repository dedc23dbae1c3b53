package preemption

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// dryRun is one node while pods are taken away from it and put back. The counts of the filters follow each
// step, as in kube-scheduler, where following differs from counting anew: two pods that hold one host port
// hold it once, and either frees it (rule 7.6.7); a claim counts once however many pods use it, and each
// of them gives it back (rule 7.8.5); a pod that is being deleted does not count for a spread constraint,
// and is subtracted all the same (rule 7.12.6).
type dryRun struct {
	attempt *attempt
	// pod is the preemptor.
	pod  *outrank.Pod
	site *site
	// pods lists the pods that take room on the node at present.
	pods []*occupant
	// unasked names a filter that is not asked; empty for none (rule 13.2.15).
	unasked string

	// takenPorts holds the host ports that are taken on the node (NodePorts).
	takenPorts map[hostPort]bool
	// claimUses is above 0 while a claim that allows the preemptor alone is in use (VolumeRestrictions).
	claimUses int
	// spreadBy says, constraint by constraint, by how much the number of pods in each domain has changed
	// since the start (PodTopologySpread). A constraint without changes has nil.
	spreadBy []map[string]int
	// interpodBy counts what has changed since the start (InterPodAffinity).
	interpodBy interpodCounts
	// states has the states of the caller's filters, by their place in callers. An entry is nil until the
	// filter is told of a pod.
	states []FilterState
}

// node returns the node of the dry run.
func (d *dryRun) node() *outrank.Node { return d.site.node }

// dryRun begins a dry run on a node, with all its pods in place (rule 9.3).
func (a *attempt) dryRun(s *site) *dryRun {
	d := &dryRun{attempt: a, pod: a.pod, site: s, pods: slices.Clone(s.running)}
	for i := range a.filters {
		if enter := a.filters[i].enter; enter != nil {
			enter(d)
		}
	}
	return d
}

// copy returns an independent copy. The attempt and the node stay shared.
func (d *dryRun) copy() *dryRun {
	c := *d
	c.pods = slices.Clone(d.pods)
	c.takenPorts = maps.Clone(d.takenPorts)
	c.interpodBy = d.interpodBy.copy()

	c.spreadBy = slices.Clone(d.spreadBy)
	for i := range c.spreadBy {
		c.spreadBy[i] = maps.Clone(d.spreadBy[i])
	}

	c.states = slices.Clone(d.states)
	for i, s := range c.states {
		if s != nil {
			c.states[i] = s.Clone()
		}
	}
	return &c
}

// takeAway takes units away whole. Their pods on other nodes leave the counts that filters make over
// several nodes, and nothing else: only the room on this node is asked about (rule 12.8.2).
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

// add puts one pod back, or adds one that is only expected (rule 7.16.1).
func (d *dryRun) add(p *occupant) {
	if d.here(p) {
		d.pods = append(d.pods, p)
	}
	d.follow(p, 1)
}

// here reports whether a pod is on the node, or expected there. It compares nodes and not sites: each pod of
// a group has an attempt with sites of its own, and the units that come back belong to another attempt.
func (d *dryRun) here(p *occupant) bool { return p.site.node == d.node() }

// follow tells the filters that a pod has come to its node (by is 1) or left it (-1). Each counts it in its
// own way (rules 7.6.7, 7.8.5, 7.12.6 and 7.13.7).
func (d *dryRun) follow(p *occupant, by int) {
	for i := range d.attempt.filters {
		if follow := d.attempt.filters[i].follow; follow != nil {
			follow(d, p, by)
		}
	}
}
