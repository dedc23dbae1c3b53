package outrank

import "fmt"

func (v *validator) group(g *PodGroup) {
	if g != nil {
		v.terms(g.terms(), &path{name: "spec", index: -1}, ofPods)
	}
}

func (v *validator) composite(g *CompositePodGroup) {
	if g != nil {
		v.terms(g.terms(), &path{name: "spec", index: -1}, ofGroups)
	}
}

// terms is about what a group or template at a place says of itself.
func (v *validator) terms(t groupTerms, at *path, kind *groupKind) {
	switch t.disruption {
	case "", DisruptPod, DisruptPodGroup:
	default:
		mode := at.field("disruptionMode")
		v.add(&mode, "%s is %s", quote(string(t.disruption)), kind.modes)
	}
	policy := at.field("schedulingPolicy")
	gang := policy.field("gang")
	count := gang.field(kind.count)
	switch {
	case t.policy != "" && t.policy != BasicPolicy && t.policy != GangPolicy:
		v.add(&policy, "%s is neither basic nor gang", quote(string(t.policy)))
	case t.policy == GangPolicy && t.count < 1:
		v.add(&count, "%d, it has to be at least 1", t.count)
	case t.policy != GangPolicy && t.count != 0:
		v.add(&count, "%d, and the policy is not gang", t.count)
	}
	checkWord(v, t.preemption, preemptionPolicies, "preemptionPolicy", at)
	constraints := at.field("schedulingConstraints")
	list := constraints.field("topology")
	for i, key := range t.topology {
		if text := keyProblem(key); text != "" {
			one := list.at(i)
			field := one.field("key")
			v.add(&field, "%s", text)
		}
	}
}

func (v *validator) workload(w *Workload) {
	if w == nil {
		return
	}
	spec := path{name: "spec", index: -1}
	if len(w.Groups) > 0 && len(w.Composites) > 0 {
		v.add(&spec, "both podGroupTemplates and compositePodGroupTemplates")
	}
	v.groupTemplates(w.Groups, &spec, 1)
	v.compositeTemplates(w.Composites, &spec, 1)
}

func (v *validator) groupTemplates(ts []PodGroupTemplate, parent *path, level int) {
	list := parent.field("podGroupTemplates")
	if text := listProblem(len(ts), level); text != "" {
		v.add(&list, "%s", text)
		return
	}
	for i := range ts {
		at := list.at(i)
		v.templateName(ts[i].Name, i, func(j int) string { return ts[j].Name }, &at)
		v.terms(ts[i].terms(), &at, ofPods)
	}
}

func (v *validator) compositeTemplates(ts []CompositePodGroupTemplate, parent *path, level int) {
	list := parent.field("compositePodGroupTemplates")
	if text := listProblem(len(ts), level); text != "" {
		v.add(&list, "%s", text)
		return
	}
	for i := range ts {
		at := list.at(i)
		v.templateName(ts[i].Name, i, func(j int) string { return ts[j].Name }, &at)
		v.terms(ts[i].terms(), &at, ofGroups)
		v.groupTemplates(ts[i].Groups, &at, level+1)
		v.compositeTemplates(ts[i].Composites, &at, level+1)
	}
}

// templateName is about the name of the template at index i of a short list.
func (v *validator) templateName(name string, i int, nameAt func(int) string, at *path) {
	field := at.field("name")
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

// maxTemplates is how many templates a list of a [Workload] has at most.
const maxTemplates = 8

// listProblem says why there is no list of so many templates on a level.
func listProblem(n, level int) string {
	switch {
	case n > maxTemplates:
		return fmt.Sprintf("%d templates, and %d are the most", n, maxTemplates)
	case n > 0 && level > MaxGroupLevels:
		return fmt.Sprintf("below the last of %d levels", MaxGroupLevels)
	}
	return ""
}
