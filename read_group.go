package outrank

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/internal/fields"
	"github.com/outrank-go/outrank/internal/manifest"
)

// inGroup reports whether an object is of scheduling.k8s.io, or does not say.
func inGroup(apiVersion string) bool {
	return apiVersion == "" || strings.HasPrefix(apiVersion, "scheduling.k8s.io/")
}

// group reads a pod group; ours is false for a kind of this name in another API
// group.
func (rd *reader) group(it manifest.Item) (g *PodGroup, ours bool) {
	var w manifest.PodGroup
	cv := rd.decode(it, "podgroup", &w, &w.Metadata, true)
	if !inGroup(w.APIVersion) {
		return nil, false
	}
	g = cv.group(&w)
	rd.keep(cv.problems...)
	return g, true
}

// composite is group for a composite group.
func (rd *reader) composite(it manifest.Item) (g *CompositePodGroup, ours bool) {
	var w manifest.PodGroup
	cv := rd.decode(it, "compositepodgroup", &w, &w.Metadata, true)
	if !inGroup(w.APIVersion) {
		return nil, false
	}
	g = cv.composite(&w)
	rd.keep(cv.problems...)
	return g, true
}

func (cv *converter) group(w *manifest.PodGroup) *PodGroup {
	t := cv.terms(&w.Spec, &fields.Path{Name: "spec", Index: -1}, ofPods)
	g := &PodGroup{
		Name: w.Metadata.Name, Namespace: cv.text(w.Metadata.Namespace), UID: w.Metadata.UID,
		Disruption: t.disruption, Policy: t.policy, MinCount: t.count,
		Priority: t.priority, PriorityClass: t.class, PreemptionPolicy: t.preemption,
		Parent: cv.text(w.Spec.Parent), Topology: t.topology, Scheduled: ofPods.isScheduled(&w.Status),
	}
	g.Workload, g.Template = cv.madeFrom(&w.Spec)
	cv.groupConditions(w.Status.Conditions, ofPods)
	return g
}

func (cv *converter) composite(w *manifest.PodGroup) *CompositePodGroup {
	t := cv.terms(&w.Spec, &fields.Path{Name: "spec", Index: -1}, ofGroups)
	g := &CompositePodGroup{
		Name: w.Metadata.Name, Namespace: cv.text(w.Metadata.Namespace), UID: w.Metadata.UID,
		Disruption: t.disruption, Policy: t.policy, MinGroups: t.count,
		Priority: t.priority, PriorityClass: t.class, PreemptionPolicy: t.preemption,
		Parent: cv.text(w.Spec.Parent), Topology: t.topology, Scheduled: ofGroups.isScheduled(&w.Status),
	}
	g.Workload, g.Template = cv.madeFrom(&w.Spec)
	cv.groupConditions(w.Status.Conditions, ofGroups)
	return g
}

// groupConditions refuses an unknown status of a condition that counts (rule 26.1.5).
func (cv *converter) groupConditions(cs []manifest.Condition, kind *groupKind) {
	for i := range cs {
		if slices.Contains(kind.scheduled, cs[i].Type) && !fields.IsWord(cs[i].Status, conditionStatuses) {
			list := fields.Path{Name: "status.conditions", Index: -1}
			at := list.At(i)
			cv.word(cs[i].Status, conditionStatuses, "status", &at)
		}
	}
}

// madeFrom names the workload and the template, in the words of either version
// (rule 22.2.4).
func (cv *converter) madeFrom(w *manifest.GroupSpec) (workload, template string) {
	if ref := w.WorkloadRef; ref != (manifest.WorkloadRef{}) {
		return cv.text(ref.WorkloadName), cv.text(ref.TemplateName)
	}
	ref := &w.TemplateRef.Workload
	return cv.text(ref.WorkloadName), cv.text(ref.TemplateName)
}

// isScheduled looks at the first condition of each type (rule 22.2.5).
func (k *groupKind) isScheduled(st *manifest.GroupStatus) bool {
	return slices.ContainsFunc(k.scheduled, func(word string) bool {
		i := slices.IndexFunc(st.Conditions, func(c manifest.Condition) bool { return c.Type == word })
		return i >= 0 && st.Conditions[i].Status == "True"
	})
}

// terms reads what the group or template at a place says of itself.
func (cv *converter) terms(w *manifest.GroupSpec, at *fields.Path, kind *groupKind) groupTerms {
	t := groupTerms{
		priority: w.Priority, class: cv.text(w.PriorityClassName),
		preemption: PreemptionPolicy(cv.text(w.PreemptionPolicy)),
	}
	mode := at.Field("disruptionMode")
	t.disruption = cv.disruption(w.DisruptionMode, &mode, kind)
	for _, c := range w.SchedulingConstraints.Topology {
		t.topology = append(t.topology, cv.text(c.Key))
	}
	switch policy := &w.SchedulingPolicy; {
	case policy.Basic != nil && policy.Gang != nil:
		both := at.Field("schedulingPolicy")
		cv.add(&both, "both basic and gang")
	case policy.Basic != nil:
		t.policy = BasicPolicy
	case policy.Gang != nil && kind.composite:
		t.policy, t.count = GangPolicy, policy.Gang.MinGroupCount
	case policy.Gang != nil:
		t.policy, t.count = GangPolicy, policy.Gang.MinCount
	}
	return t
}

// disruption reads {"single": {}} and {"all": {}}, or "Pod" and "PodGroup" as
// v1.36 has it for groups of pods (rule 22.2.2). Anything else becomes a mode that
// Validate refuses.
func (cv *converter) disruption(raw json.RawMessage, at *fields.Path, kind *groupKind) DisruptionMode {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var name string
	if !kind.composite && json.Unmarshal(raw, &name) == nil {
		return DisruptionMode(cv.text(name))
	}
	var modes manifest.DisruptionMode
	if wrong := manifest.Decode(raw, &modes); len(wrong) > 0 && (kind.composite || wrong[0].Field != "") {
		cv.wrong(wrong, at)
		return ""
	}
	switch {
	case modes.Single != nil && modes.All != nil:
		cv.add(at, "both single and all")
		return ""
	case modes.All != nil:
		return DisruptPodGroup
	case modes.Single != nil:
		return DisruptPod
	}
	return DisruptionMode(raw)
}

// wrong takes in what is wrong with the values at a place.
func (cv *converter) wrong(ms []manifest.Mismatch, at *fields.Path) {
	for _, m := range ms {
		one := *at
		if m.Field != "" {
			one = at.Field(m.Field)
		}
		cv.add(&one, "%s", m.Text)
		*cv.more += m.More
	}
}
