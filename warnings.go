package outrank

import (
	"fmt"

	"github.com/outrank-go/outrank/internal/apis"
)

// Warnings lists the oddities of the cluster that the real system lives with:
//
//   - a pod on a node that does not exist counts nowhere;
//   - a nomination to a node that does not exist has no effect;
//   - a budget with an invalid selector covers nothing;
//   - an invalid selector of a pod matches nothing;
//   - a pod in a group that does not exist counts by itself;
//   - the topology of a group is not followed, though it would count;
//   - a tree of groups has a missing parent, a circle, too many levels, or two workloads;
//   - a node does not say how many pods it takes, and takes none;
//   - a budget has no status, and allows nothing;
//   - a pod or a group has a priority class and no priority, which counts as 0;
//   - the phase of a pod does not exist, and the pod has not ended;
//   - the claim of a pod, or a namespace that pods select by its labels, is not in the cluster;
//   - a field of the input matters to a cluster and is not followed here ([Cluster.Unread]).
func (c *Cluster) Warnings() []Problem {
	nodes := make(map[string]bool, len(c.Nodes))
	for _, n := range c.Nodes {
		nodes[nameOf(n)] = true
	}

	var ws []Problem
	for _, p := range c.Pods {
		switch {
		case p == nil:
		case p.NodeName != "" && !nodes[p.NodeName]:
			ws = append(ws, Problem{"pod " + string(p.Key()), "spec.nodeName", "no node " + apis.Quote(p.NodeName) + "; the pod counts nowhere"})
		case p.NodeName == "" && p.NominatedNodeName != "" && !nodes[p.NominatedNodeName]:
			ws = append(ws, Problem{"pod " + string(p.Key()), "status.nominatedNodeName", "no node " + apis.Quote(p.NominatedNodeName) + "; the nomination has no effect"})
		}
	}

	// An API server keeps a budget with an invalid selector, so this is not an error.
	for _, b := range c.Budgets {
		if b == nil {
			continue
		}
		for _, p := range b.Selector.problems() {
			ws = append(ws, Problem{"poddisruptionbudget " + string(b.Key()), "spec.selector." + p.field, p.text + "; the budget covers nothing"})
		}
	}

	for _, p := range c.Pods {
		ws = append(ws, p.selectorWarnings()...)
	}
	ws = append(ws, c.groupWarnings()...)
	ws = append(ws, c.absenceWarnings()...)
	return append(ws, c.Unread...)
}

// selectorWarnings names the invalid selectors of the pod's affinity terms and spread
// constraints. [Pod.Validate] refuses some of them; all match nothing.
func (p *Pod) selectorWarnings() []Problem {
	if p == nil || len(p.Affinity.PodAffinity)+len(p.Affinity.PodAntiAffinity)+len(p.TopologySpreadConstraints) == 0 {
		return nil
	}

	var ws []Problem
	add := func(s *LabelSelector, list string, i int, field string) {
		for _, found := range s.problems() {
			at := fmt.Sprintf("spec.%s[%d].%s.%s", list, i, field, found.field)
			ws = append(ws, Problem{"pod " + string(p.Key()), at, found.text + "; the selector matches nothing"})
		}
	}

	for kind, terms := range [...][]PodAffinityTerm{p.Affinity.PodAffinity, p.Affinity.PodAntiAffinity} {
		list := [...]string{"podAffinity", "podAntiAffinity"}[kind]
		for i := range terms {
			list := "affinity." + list + ".requiredDuringSchedulingIgnoredDuringExecution"
			add(terms[i].LabelSelector, list, i, "labelSelector")
			add(terms[i].NamespaceSelector, list, i, "namespaceSelector")
		}
	}
	for i := range p.TopologySpreadConstraints {
		add(p.TopologySpreadConstraints[i].LabelSelector, "topologySpreadConstraints", i, "labelSelector")
	}
	return ws
}

// groupWarnings names groups of pods that do not exist, and trees of groups that
// no API server looks at: a missing parent, a circle of parents, more than
// [MaxGroupLevels] levels, and two workloads in one tree (group 22.4). Time is
// linear in the number of objects.
func (c *Cluster) groupWarnings() []Problem {
	groups := make(map[Key]bool, len(c.Groups))
	for _, g := range c.Groups {
		if g != nil {
			groups[g.Key()] = true
		}
	}
	var ws []Problem
	for _, p := range c.Pods {
		if p != nil && p.Group != "" && !groups[p.GroupKey()] {
			ws = append(ws, Problem{"pod " + string(p.Key()), "spec.schedulingGroup.podGroupName", "no pod group " + apis.Quote(p.Group) + "; the pod counts by itself"})
		}
	}
	ws = append(ws, c.topologyWarnings()...)
	return append(ws, c.treeWarnings()...)
}

// topologyWarnings names the groups with a topology that counts in the release. No decision
// follows it (rule 12.9.14).
func (c *Cluster) topologyWarnings() (ws []Problem) {
	rules := c.Release.rules()
	if !rules.GroupsPreempt || !rules.GroupTopologies {
		return nil
	}

	warn := func(object string, topology []string) {
		if len(topology) > 0 {
			ws = append(ws, Problem{object, "spec.schedulingConstraints.topology", fmt.Sprintf("%q is not followed; deciding about the group is an error", topology)})
		}
	}

	for _, g := range c.Groups {
		if g != nil {
			warn("podgroup "+string(g.Key()), g.Topology)
		}
	}
	for _, g := range c.Composites {
		if g != nil && rules.CompositeUnits {
			warn("compositepodgroup "+string(g.Key()), g.Topology)
		}
	}
	return ws
}

// treeWarnings names the groups with an odd parent, composite groups first.
func (c *Cluster) treeWarnings() []Problem {
	t := groupTree{composites: make(map[Key]*CompositePodGroup, len(c.Composites))}
	for _, g := range c.Composites {
		if g != nil {
			t.composites[g.Key()] = g
		}
	}
	t.findCircles(c.Composites)

	for _, g := range c.Composites {
		if g != nil {
			t.checkParent(child{"compositepodgroup " + string(g.Key()), g.Parent, g.ParentKey(), g.Workload}, t.circular[g.Key()])
		}
	}

	// Nothing is below a group of pods, so that it is in no circle.
	for _, g := range c.Groups {
		if g != nil {
			t.checkParent(child{"podgroup " + string(g.Key()), g.Parent, g.ParentKey(), g.Workload}, false)
		}
	}
	return t.warnings
}

// groupTree collects warnings about the parents of groups.
type groupTree struct {
	composites map[Key]*CompositePodGroup
	// circular has the composite groups that are among their own ancestors.
	circular map[Key]bool
	warnings []Problem
}

// findCircles walks up from every composite group, and visits each group once: a walk ends at
// a group that any walk has visited.
func (t *groupTree) findCircles(all []*CompositePodGroup) {
	t.circular = map[Key]bool{}
	walked := make(map[Key]int, len(all)) // the number of the walk that has visited a group, from 1
	for i, g := range all {
		for g != nil && walked[g.Key()] == 0 {
			walked[g.Key()] = i + 1
			g = t.composites[g.ParentKey()]
		}

		// If this same walk has visited the group, it has met a circle: going round once more
		// marks all groups in it.
		for g != nil && walked[g.Key()] == i+1 && !t.circular[g.Key()] {
			t.circular[g.Key()] = true
			g = t.composites[g.ParentKey()]
		}
	}
}

// child is a group of either kind, with the fields that the check of its parent needs.
type child struct {
	// object names the group in messages.
	object string
	// parentName is the name of the parent, empty for none, and parent its key.
	parentName string
	parent     Key
	workload   string
}

// checkParent warns of an odd parent of one group. circular says that the group is among its
// own ancestors.
func (t *groupTree) checkParent(c child, circular bool) {
	if c.parentName == "" {
		return
	}

	warn := func(field, format string, args ...any) {
		t.warnings = append(t.warnings, Problem{c.object, field, fmt.Sprintf(format, args...)})
	}

	const field = "spec.parentCompositePodGroupName"
	above := t.composites[c.parent]
	switch {
	case above == nil:
		warn(field, "no composite pod group %s; the group counts as the top of its tree, and its pending pods wait", apis.Quote(c.parentName))
		return
	case circular:
		warn(field, "%s is also below this group; no pending pod of them is scheduled", apis.Quote(c.parentName))
	case t.deep(above):
		warn(field, "more than %d levels of groups; no pending pod of the tree is scheduled", MaxGroupLevels)
	}

	if c.workload != above.Workload && c.workload != "" && above.Workload != "" {
		warn("spec.workloadRef.workloadName", "%s, and that of the parent %s is %s; no pending pod of the tree is scheduled", apis.Quote(c.workload), apis.Quote(c.parentName), apis.Quote(above.Workload))
	}
}

// deep reports whether a group directly below g would be below the last level. It climbs no
// more levels than a tree may have, so it also ends in a circle.
func (t *groupTree) deep(g *CompositePodGroup) bool {
	level := 1
	for ; g != nil && level <= MaxGroupLevels; level++ {
		g = t.composites[g.ParentKey()]
	}
	return level > MaxGroupLevels
}
