package outrank

import "github.com/outrank-go/outrank/internal/apis"

func (v *validator) group(g *PodGroup) {
	if g != nil {
		v.terms(&PodGroupTemplate{
			DisruptionMode: g.DisruptionMode, Policy: g.Policy, MinCount: g.MinCount, PreemptionPolicy: g.PreemptionPolicy, Topology: g.Topology,
		}, &apis.Path{Name: "spec", Index: -1}, apis.OfPods)
	}
}

func (v *validator) composite(g *CompositePodGroup) {
	if g != nil {
		v.terms(&PodGroupTemplate{
			DisruptionMode: g.DisruptionMode, Policy: g.Policy, MinCount: g.MinGroupCount, PreemptionPolicy: g.PreemptionPolicy, Topology: g.Topology,
		}, &apis.Path{Name: "spec", Index: -1}, apis.OfGroups)
	}
}

// terms checks the fields that groups and templates of both kinds share. MinCount is the
// size of a gang in pods or in groups, as kind says.
func (v *validator) terms(t *PodGroupTemplate, at *apis.Path, kind *apis.GroupKind) {
	switch t.DisruptionMode {
	case "", DisruptPod, DisruptPodGroup:
	default:
		mode := at.Field("disruptionMode")
		v.add(&mode, "%s is %s", apis.Quote(string(t.DisruptionMode)), kind.Modes)
	}

	// In the Kubernetes object the size of a gang stands below its policy.
	policy := at.Field("schedulingPolicy")
	gang := policy.Field("gang")
	count := gang.Field(kind.Count)
	switch {
	case t.Policy != "" && t.Policy != BasicPolicy && t.Policy != GangPolicy:
		v.add(&policy, "%s is neither basic nor gang", apis.Quote(string(t.Policy)))
	case t.Policy == GangPolicy && t.MinCount < 1:
		v.add(&count, "%d, it has to be at least 1", t.MinCount)
	case t.Policy != GangPolicy && t.MinCount != 0:
		v.add(&count, "%d, and the policy is not gang", t.MinCount)
	}
	checkWord(v, t.PreemptionPolicy, preemptionPolicies, place{at, "preemptionPolicy"})

	constraints := at.Field("schedulingConstraints")
	list := constraints.Field("topology")
	for i, key := range t.Topology {
		if text := apis.KeyProblem(key); text != "" {
			one := list.At(i)
			field := one.Field("key")
			v.add(&field, "%s", text)
		}
	}
}

// workload checks the templates of a workload, which must all be of one kind.
func (v *validator) workload(w *Workload) {
	if w == nil {
		return
	}
	spec := apis.Path{Name: "spec", Index: -1}
	if len(w.PodGroupTemplates) > 0 && len(w.CompositePodGroupTemplates) > 0 {
		v.add(&spec, "both podGroupTemplates and compositePodGroupTemplates")
	}
	v.groupTemplates(w.PodGroupTemplates, &spec, 1)
	v.compositeTemplates(w.CompositePodGroupTemplates, &spec, 1)
}

// groupTemplates checks a list of templates of groups of pods. level is the level of the list
// in the tree of templates, from 1. The entries of a list that is too deep or too long are not
// checked.
func (v *validator) groupTemplates(ts []PodGroupTemplate, parent *apis.Path, level int) {
	list := parent.Field("podGroupTemplates")
	if text := apis.TemplatesProblem(len(ts), level); text != "" {
		v.add(&list, "%s", text)
		return
	}
	for i := range ts {
		at := list.At(i)
		v.templateName(ts[i].Name, i, func(j int) string { return ts[j].Name }, &at)
		v.terms(&ts[i], &at, apis.OfPods)
	}
}

// compositeTemplates checks a list of templates of composite groups and all below them; see
// groupTemplates.
func (v *validator) compositeTemplates(ts []CompositePodGroupTemplate, parent *apis.Path, level int) {
	list := parent.Field("compositePodGroupTemplates")
	if text := apis.TemplatesProblem(len(ts), level); text != "" {
		v.add(&list, "%s", text)
		return
	}
	for i := range ts {
		at := list.At(i)
		v.templateName(ts[i].Name, i, func(j int) string { return ts[j].Name }, &at)
		t := &ts[i]
		v.terms(&PodGroupTemplate{
			DisruptionMode: t.DisruptionMode, Policy: t.Policy, MinCount: t.MinGroupCount, PreemptionPolicy: t.PreemptionPolicy, Topology: t.Topology,
		}, &at, apis.OfGroups)
		v.groupTemplates(ts[i].PodGroupTemplates, &at, level+1)
		v.compositeTemplates(ts[i].CompositePodGroupTemplates, &at, level+1)
	}
}

// templateName checks the name of the template at index i of its list: it must not be empty,
// and no earlier template may have it. Lists are short, so quadratic time does no harm.
func (v *validator) templateName(name string, i int, nameAt func(int) string, at *apis.Path) {
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
