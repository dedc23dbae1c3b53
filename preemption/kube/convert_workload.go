package kube

import (
	"encoding/json"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// oldWorkload is the API version of v1.35, in which a workload contained its groups
// and pods referred to the workload.
const oldWorkload = "scheduling.k8s.io/v1alpha1"

// workload converts a workload.
func (cv *converter) workload(w *manifest.Workload) *outrank.Workload {
	spec := apis.Path{Name: "spec", Index: -1}
	return &outrank.Workload{
		Name: w.Metadata.Name, Namespace: cv.text(w.Metadata.Namespace),
		Owner:                      outrank.Owner{Kind: cv.text(w.Spec.ControllerRef.Kind), Name: cv.text(w.Spec.ControllerRef.Name)},
		PodGroupTemplates:          cv.groupTemplates(w.Spec.Groups, &spec, 1),
		CompositePodGroupTemplates: cv.compositeTemplates(w.Spec.Composites, &spec, 1),
	}
}

// groupTemplates converts the templates of groups of pods on one level of a workload.
func (cv *converter) groupTemplates(ws []manifest.GroupSpec, parent *apis.Path, level int) []outrank.PodGroupTemplate {
	list := parent.Field("podGroupTemplates")
	if len(ws) == 0 || !cv.listed(len(ws), level, &list) {
		return nil
	}
	out := make([]outrank.PodGroupTemplate, len(ws))
	for i := range ws {
		at := list.At(i)
		out[i] = cv.terms(&ws[i], &at, apis.OfPods)
		out[i].Name = cv.text(ws[i].Name)
	}
	return out
}

// compositeTemplates converts the templates of composite groups on one level of a workload, counted from 1. Templates
// on too deep a level are a problem and are not converted, because their nesting has no bound.
func (cv *converter) compositeTemplates(raws []json.RawMessage, parent *apis.Path, level int) []outrank.CompositePodGroupTemplate {
	list := parent.Field("compositePodGroupTemplates")
	if len(raws) == 0 || !cv.listed(len(raws), level, &list) {
		return nil
	}
	out := make([]outrank.CompositePodGroupTemplate, len(raws))
	for i, raw := range raws {
		at := list.At(i)
		out[i] = cv.compositeTemplate(raw, &at, level)
	}
	return out
}

// compositeTemplate converts a template of a composite group with the templates below it.
func (cv *converter) compositeTemplate(raw json.RawMessage, at *apis.Path, level int) outrank.CompositePodGroupTemplate {
	var own manifest.GroupSpec
	var below manifest.WorkloadSpec

	// One object has the fields of a group and of a workload, so it is decoded twice. Text that is not an object
	// gives one mismatch without a field, which must not be reported twice.
	wrong := manifest.Decode(raw, &own)
	if len(wrong) != 1 || wrong[0].Field != "" {
		wrong = append(wrong, manifest.Decode(raw, &below)...)
	}
	cv.wrong(wrong, at)

	t := cv.terms(&own, at, apis.OfGroups)
	return outrank.CompositePodGroupTemplate{
		Name: cv.text(own.Name), DisruptionMode: t.DisruptionMode, Policy: t.Policy, MinGroupCount: t.MinCount,
		Priority: t.Priority, PriorityClassName: t.PriorityClassName, PreemptionPolicy: t.PreemptionPolicy, Topology: t.Topology,
		PodGroupTemplates:          cv.groupTemplates(below.Groups, at, level+1),
		CompositePodGroupTemplates: cv.compositeTemplates(below.Composites, at, level+1),
	}
}

// listed reports whether a level of a workload may have n templates. If not, it records a problem.
func (cv *converter) listed(n, level int, list *apis.Path) bool {
	text := apis.TemplatesProblem(n, level)
	if text != "" {
		cv.add(list, "%s", text)
	}
	return text == ""
}
