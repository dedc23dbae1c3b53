package outrank

import "github.com/outrank-go/outrank/internal/fields"

func (v *validator) group(g *PodGroup) {
	if g != nil {
		v.terms(g.terms(), &fields.Path{Name: "spec", Index: -1}, ofPods)
	}
}

func (v *validator) composite(g *CompositePodGroup) {
	if g != nil {
		v.terms(g.terms(), &fields.Path{Name: "spec", Index: -1}, ofGroups)
	}
}

// terms is about what a group or template at a place says of itself.
func (v *validator) terms(t groupTerms, at *fields.Path, kind *groupKind) {
	switch t.disruption {
	case "", DisruptPod, DisruptPodGroup:
	default:
		mode := at.Field("disruptionMode")
		v.add(&mode, "%s is %s", fields.Quote(string(t.disruption)), kind.modes)
	}
	policy := at.Field("schedulingPolicy")
	gang := policy.Field("gang")
	count := gang.Field(kind.count)
	switch {
	case t.policy != "" && t.policy != BasicPolicy && t.policy != GangPolicy:
		v.add(&policy, "%s is neither basic nor gang", fields.Quote(string(t.policy)))
	case t.policy == GangPolicy && t.count < 1:
		v.add(&count, "%d, it has to be at least 1", t.count)
	case t.policy != GangPolicy && t.count != 0:
		v.add(&count, "%d, and the policy is not gang", t.count)
	}
	checkWord(v, t.preemption, preemptionPolicies, "preemptionPolicy", at)
	constraints := at.Field("schedulingConstraints")
	list := constraints.Field("topology")
	for i, key := range t.topology {
		if text := fields.KeyProblem(key); text != "" {
			one := list.At(i)
			field := one.Field("key")
			v.add(&field, "%s", text)
		}
	}
}

func (v *validator) workload(w *Workload) {
	if w == nil {
		return
	}
	spec := fields.Path{Name: "spec", Index: -1}
	if len(w.Groups) > 0 && len(w.Composites) > 0 {
		v.add(&spec, "both podGroupTemplates and compositePodGroupTemplates")
	}
	v.groupTemplates(w.Groups, &spec, 1)
	v.compositeTemplates(w.Composites, &spec, 1)
}

func (v *validator) groupTemplates(ts []PodGroupTemplate, parent *fields.Path, level int) {
	list := parent.Field("podGroupTemplates")
	if text := fields.TemplatesProblem(len(ts), level); text != "" {
		v.add(&list, "%s", text)
		return
	}
	for i := range ts {
		at := list.At(i)
		v.templateName(ts[i].Name, i, func(j int) string { return ts[j].Name }, &at)
		v.terms(ts[i].terms(), &at, ofPods)
	}
}

func (v *validator) compositeTemplates(ts []CompositePodGroupTemplate, parent *fields.Path, level int) {
	list := parent.Field("compositePodGroupTemplates")
	if text := fields.TemplatesProblem(len(ts), level); text != "" {
		v.add(&list, "%s", text)
		return
	}
	for i := range ts {
		at := list.At(i)
		v.templateName(ts[i].Name, i, func(j int) string { return ts[j].Name }, &at)
		v.terms(ts[i].terms(), &at, ofGroups)
		v.groupTemplates(ts[i].Groups, &at, level+1)
		v.compositeTemplates(ts[i].Composites, &at, level+1)
	}
}

// templateName is about the name of the template at index i of a short list.
func (v *validator) templateName(name string, i int, nameAt func(int) string, at *fields.Path) {
	field := at.Field("name")
	if name == "" {
		v.add(&field, "missing")
		return
	}
	for j := range i {
		if nameAt(j) == name {
			v.add(&field, "there are two of this name")
			return
		}
	}
}
