//go:build !kube136

package convert

import (
	scheduling "k8s.io/api/scheduling/v1alpha3"

	"github.com/outrank-go/outrank"
)

func alphaGroup(s *scheduling.PodGroupSpec) groupSpec {
	out := groupSpec{
		terms:    alphaTerms(s.SchedulingPolicy, s.DisruptionMode, s.SchedulingConstraints),
		priority: s.Priority, class: s.PriorityClassName,
		preemption: outrank.PreemptionPolicy(valueOf(s.PreemptionPolicy)),
		parent:     valueOf(s.ParentCompositePodGroupName),
	}
	if r := s.WorkloadRef; r != nil {
		out.workload, out.template = r.WorkloadName, r.TemplateName
	}
	return out
}

func alphaTerms(p scheduling.PodGroupSchedulingPolicy, m *scheduling.DisruptionMode, c *scheduling.PodGroupSchedulingConstraints) terms {
	var gang *int32
	if p.Gang != nil {
		gang = &p.Gang.MinCount
	}
	t := termsOf(p.Basic != nil, gang, modes{given: m != nil, single: m != nil && m.Single != nil, all: m != nil && m.All != nil})
	if c != nil {
		t.topology = alphaTopology(c.Topology)
	}
	return t
}

func alphaCompositeTerms(p scheduling.CompositePodGroupSchedulingPolicy, m *scheduling.CompositeDisruptionMode, c *scheduling.CompositePodGroupSchedulingConstraints) terms {
	var gang *int32
	if p.Gang != nil {
		gang = &p.Gang.MinGroupCount
	}
	t := termsOf(p.Basic != nil, gang, modes{given: m != nil, single: m != nil && m.Single != nil, all: m != nil && m.All != nil})
	if c != nil {
		t.topology = alphaTopology(c.Topology)
	}
	return t
}

func alphaTopology(cs []scheduling.TopologyConstraint) []string {
	var out []string
	for i := range cs {
		out = append(out, cs[i].Key)
	}
	return out
}

func (ps *problems) alphaTemplates(ts []scheduling.PodGroupTemplate, parent string, level int) []outrank.PodGroupTemplate {
	if tooMany(len(ts), level) {
		return make([]outrank.PodGroupTemplate, len(ts))
	}
	var out []outrank.PodGroupTemplate
	for i := range ts {
		t := &ts[i]
		c := alphaTerms(t.SchedulingPolicy, t.DisruptionMode, t.SchedulingConstraints)
		ps.terms(&c, groupsAt(parent, i))
		out = append(out, c.template(t.Name, t.Priority, t.PriorityClassName, outrank.PreemptionPolicy(valueOf(t.PreemptionPolicy))))
	}
	return out
}

func (ps *problems) alphaComposites(ts []scheduling.CompositePodGroupTemplate, parent string, level int) []outrank.CompositePodGroupTemplate {
	if tooMany(len(ts), level) {
		return make([]outrank.CompositePodGroupTemplate, len(ts))
	}
	var out []outrank.CompositePodGroupTemplate
	for i := range ts {
		t, at := &ts[i], compositesAt(parent, i)
		c := alphaCompositeTerms(t.SchedulingPolicy, t.DisruptionMode, t.SchedulingConstraints)
		ps.terms(&c, at)
		one := c.composite(t.Name, t.Priority, t.PriorityClassName, outrank.PreemptionPolicy(valueOf(t.PreemptionPolicy)))
		one.PodGroupTemplates = ps.alphaTemplates(t.PodGroupTemplates, at, level+1)
		one.CompositePodGroupTemplates = ps.alphaComposites(t.CompositePodGroupTemplates, at, level+1)
		out = append(out, one)
	}
	return out
}
