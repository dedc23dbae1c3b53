package kube

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// inGroup reports whether an object is of the API group scheduling.k8s.io, or has no apiVersion.
func inGroup(apiVersion string) bool {
	return apiVersion == "" || strings.HasPrefix(apiVersion, "scheduling.k8s.io/")
}

// group converts a group of pods.
func (cv *converter) group(w *manifest.PodGroup) *outrank.PodGroup {
	t := cv.terms(&w.Spec, &apis.Path{Name: "spec", Index: -1}, apis.OfPods)
	g := &outrank.PodGroup{
		Name: w.Metadata.Name, Namespace: cv.text(w.Metadata.Namespace), UID: w.Metadata.UID,
		DisruptionMode: t.DisruptionMode, Policy: t.Policy, MinCount: t.MinCount,
		Priority: t.Priority, PriorityClassName: t.PriorityClassName, PreemptionPolicy: t.PreemptionPolicy,
		Parent: cv.text(w.Spec.Parent), Topology: t.Topology, Scheduled: isScheduled(&w.Status, apis.OfPods),
	}
	g.Workload, g.Template = cv.madeFrom(&w.Spec)
	cv.groupConditions(w.Status.Conditions, apis.OfPods)
	return g
}

// composite converts a composite group.
func (cv *converter) composite(w *manifest.PodGroup) *outrank.CompositePodGroup {
	t := cv.terms(&w.Spec, &apis.Path{Name: "spec", Index: -1}, apis.OfGroups)
	g := &outrank.CompositePodGroup{
		Name: w.Metadata.Name, Namespace: cv.text(w.Metadata.Namespace), UID: w.Metadata.UID,
		DisruptionMode: t.DisruptionMode, Policy: t.Policy, MinGroupCount: t.MinCount,
		Priority: t.Priority, PriorityClassName: t.PriorityClassName, PreemptionPolicy: t.PreemptionPolicy,
		Parent: cv.text(w.Spec.Parent), Topology: t.Topology, Scheduled: isScheduled(&w.Status, apis.OfGroups),
	}
	g.Workload, g.Template = cv.madeFrom(&w.Spec)
	cv.groupConditions(w.Status.Conditions, apis.OfGroups)
	return g
}

// groupConditions records a problem for an unknown status of a condition that says whether the group was scheduled
// (rule 26.1.5).
func (cv *converter) groupConditions(cs []manifest.Condition, kind *apis.GroupKind) {
	for i := range cs {
		if slices.Contains(kind.Scheduled, cs[i].Type) && !apis.IsWord(cs[i].Status, conditionStatuses) {
			list := apis.Path{Name: "status.conditions", Index: -1}
			at := list.At(i)
			cv.word(cs[i].Status, conditionStatuses, "status", &at)
		}
	}
}

// madeFrom returns the workload and the template of a group. API versions have them in different fields (rule 22.2.4).
func (cv *converter) madeFrom(w *manifest.GroupSpec) (workload, template string) {
	if ref := w.WorkloadRef; ref != (manifest.WorkloadRef{}) {
		return cv.text(ref.WorkloadName), cv.text(ref.TemplateName)
	}
	ref := &w.TemplateRef.Workload
	return cv.text(ref.WorkloadName), cv.text(ref.TemplateName)
}

// isScheduled reports whether a condition says that the group was scheduled. Of each type only the first
// condition counts (rule 22.2.5).
func isScheduled(st *manifest.GroupStatus, kind *apis.GroupKind) bool {
	return slices.ContainsFunc(kind.Scheduled, func(word string) bool {
		i := slices.IndexFunc(st.Conditions, func(c manifest.Condition) bool { return c.Type == word })
		return i >= 0 && st.Conditions[i].Status == "True"
	})
}

// terms converts the fields that groups and templates share.
func (cv *converter) terms(w *manifest.GroupSpec, at *apis.Path, kind *apis.GroupKind) outrank.PodGroupTemplate {
	t := outrank.PodGroupTemplate{
		Priority: w.Priority, PriorityClassName: cv.text(w.PriorityClassName),
		PreemptionPolicy: outrank.PreemptionPolicy(cv.text(w.PreemptionPolicy)),
	}
	mode := at.Field("disruptionMode")
	t.DisruptionMode = cv.disruption(w.DisruptionMode, &mode, kind)
	for _, c := range w.SchedulingConstraints.Topology {
		t.Topology = append(t.Topology, cv.text(c.Key))
	}

	switch policy := &w.SchedulingPolicy; {
	case policy.Basic != nil && policy.Gang != nil:
		both := at.Field("schedulingPolicy")
		cv.add(&both, "both basic and gang")
	case policy.Basic != nil:
		t.Policy = outrank.BasicPolicy
	case policy.Gang != nil && kind.Composite:
		t.Policy, t.MinCount = outrank.GangPolicy, policy.Gang.MinGroupCount
	case policy.Gang != nil:
		t.Policy, t.MinCount = outrank.GangPolicy, policy.Gang.MinCount
	}
	return t
}

// disruption converts {"single": {}} and {"all": {}} or, for groups of pods in v1.36, "Pod" and "PodGroup"
// (rule 22.2.2). Anything else becomes a mode that Validate reports.
func (cv *converter) disruption(raw json.RawMessage, at *apis.Path, kind *apis.GroupKind) outrank.DisruptionMode {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}

	var name string
	if !kind.Composite && json.Unmarshal(raw, &name) == nil {
		return outrank.DisruptionMode(cv.text(name))
	}

	// A value that is not an object gives one mismatch without a field. For a group of pods it is left to Validate,
	// whose message names both forms.
	var modes manifest.DisruptionMode
	if wrong := manifest.Decode(raw, &modes); len(wrong) > 0 && (kind.Composite || wrong[0].Field != "") {
		cv.wrong(wrong, at)
		return ""
	}

	switch {
	case modes.Single != nil && modes.All != nil:
		cv.add(at, "both single and all")
		return ""
	case modes.All != nil:
		return outrank.DisruptPodGroup
	case modes.Single != nil:
		return outrank.DisruptPod
	}
	return outrank.DisruptionMode(raw)
}
