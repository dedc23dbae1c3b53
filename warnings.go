package outrank

import (
	"fmt"

	"github.com/outrank-go/outrank/internal/apis"
)

// Warnings lists the oddities of the cluster that the real system lives with: a
// pod on a node that does not exist counts nowhere, a pod nominated to such a
// node is not nominated, a budget with an invalid selector covers nothing, such a
// selector of a pod matches nothing, a pod in a group that does not exist counts
// by itself, the topology of a group is not followed where it counts, and trees of
// groups may have no top, no end or too many levels.
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
	return append(ws, c.groupWarnings()...)
}

// selectorWarnings names invalid selectors of affinity terms and spread
// constraints that are not refused: they match nothing.
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

// topologyWarnings names groups whose topology counts by the release, which no decision
// follows (rule 12.9.14).
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
			t.look(child{"compositepodgroup " + string(g.Key()), g.Parent, g.ParentKey(), g.Workload}, t.circular[g.Key()])
		}
	}
	for _, g := range c.Groups {
		if g != nil {
			t.look(child{"podgroup " + string(g.Key()), g.Parent, g.ParentKey(), g.Workload}, false)
		}
	}
	return t.warnings
}

// groupTree looks at the parents of groups.
type groupTree struct {
	composites map[Key]*CompositePodGroup
	circular   map[Key]bool // those that are among their own ancestors
	warnings   []Problem
}

// findCircles walks up from every composite group, over each of them once.
func (t *groupTree) findCircles(all []*CompositePodGroup) {
	t.circular = map[Key]bool{}
	walked := make(map[Key]int, len(all)) // the walk that came by
	for i, g := range all {
		for g != nil && walked[g.Key()] == 0 {
			walked[g.Key()] = i + 1
			g = t.composites[g.ParentKey()]
		}
		for g != nil && walked[g.Key()] == i+1 && !t.circular[g.Key()] {
			t.circular[g.Key()] = true
			g = t.composites[g.ParentKey()]
		}
	}
}

// child is a group as its parent is checked: the object for messages, the name that it has for its
// parent and that one's key, and the workload that it names.
type child struct {
	object, name string
	parent       Key
	workload     string
}

// look warns of an odd parent of one group, if it names any. A group that is among its own ancestors
// is circular.
func (t *groupTree) look(c child, circular bool) {
	if c.name == "" {
		return
	}
	warn := func(field, format string, args ...any) {
		t.warnings = append(t.warnings, Problem{c.object, field, fmt.Sprintf(format, args...)})
	}
	const field = "spec.parentCompositePodGroupName"
	above := t.composites[c.parent]
	switch {
	case above == nil:
		warn(field, "no composite pod group %s; the group counts as the top of its tree, and its pending pods wait", apis.Quote(c.name))
		return
	case circular:
		warn(field, "%s is also below this group; no pending pod of them is scheduled", apis.Quote(c.name))
	case t.deep(above):
		warn(field, "more than %d levels of groups; no pending pod of the tree is scheduled", MaxGroupLevels)
	}
	if c.workload != above.Workload && c.workload != "" && above.Workload != "" {
		warn("spec.workloadRef.workloadName", "%s, and that of the parent %s is %s; no pending pod of the tree is scheduled", apis.Quote(c.workload), apis.Quote(c.name), apis.Quote(above.Workload))
	}
}

// deep reports whether a group below this one is below the last level.
func (t *groupTree) deep(g *CompositePodGroup) bool {
	level := 1
	for ; g != nil && level <= MaxGroupLevels; level++ {
		g = t.composites[g.ParentKey()]
	}
	return level > MaxGroupLevels
}
