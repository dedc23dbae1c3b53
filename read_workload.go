package outrank

import (
	"encoding/json"

	"github.com/outrank-go/outrank/internal/fields"
	"github.com/outrank-go/outrank/internal/manifest"
)

// oldWorkload is the version of v1.35, in which a workload held the groups
// themselves and pods named the workload.
const oldWorkload = "scheduling.k8s.io/v1alpha1"

// workload reads a workload; ours is false for a kind of this name in another API
// group, and for a version that is not read.
func (rd *reader) workload(it manifest.Item) (one *Workload, ours bool) {
	var w manifest.Workload
	cv := rd.decode(it, "workload", &w, &w.Metadata, true)
	if !inGroup(w.APIVersion) || w.APIVersion == oldWorkload {
		return nil, false
	}
	spec := fields.Path{Name: "spec", Index: -1}
	one = &Workload{
		Name: w.Metadata.Name, Namespace: cv.text(w.Metadata.Namespace),
		Owner:      Owner{Kind: cv.text(w.Spec.ControllerRef.Kind), Name: cv.text(w.Spec.ControllerRef.Name)},
		Groups:     cv.groupTemplates(w.Spec.Groups, &spec, 1),
		Composites: cv.compositeTemplates(w.Spec.Composites, &spec, 1),
	}
	rd.keep(cv.problems...)
	return one, true
}

func (cv *converter) groupTemplates(ws []manifest.GroupSpec, parent *fields.Path, level int) []PodGroupTemplate {
	list := parent.Field("podGroupTemplates")
	if len(ws) == 0 || !cv.listed(len(ws), level, &list) {
		return nil
	}
	out := make([]PodGroupTemplate, len(ws))
	for i := range ws {
		at := list.At(i)
		t := cv.terms(&ws[i], &at, ofPods)
		out[i] = PodGroupTemplate{
			Name: cv.text(ws[i].Name), Disruption: t.disruption, Policy: t.policy, MinCount: t.count,
			Priority: t.priority, PriorityClass: t.class, PreemptionPolicy: t.preemption, Topology: t.topology,
		}
	}
	return out
}

// compositeTemplates reads templates that stand so many levels deep. Those that are
// too deep are not looked at.
func (cv *converter) compositeTemplates(raws []json.RawMessage, parent *fields.Path, level int) []CompositePodGroupTemplate {
	list := parent.Field("compositePodGroupTemplates")
	if len(raws) == 0 || !cv.listed(len(raws), level, &list) {
		return nil
	}
	out := make([]CompositePodGroupTemplate, len(raws))
	for i, raw := range raws {
		at := list.At(i)
		out[i] = cv.compositeTemplate(raw, &at, level)
	}
	return out
}

func (cv *converter) compositeTemplate(raw json.RawMessage, at *fields.Path, level int) CompositePodGroupTemplate {
	var own manifest.GroupSpec
	var below manifest.WorkloadSpec
	wrong := manifest.Decode(raw, &own)
	if len(wrong) != 1 || wrong[0].Field != "" { // it is an object
		wrong = append(wrong, manifest.Decode(raw, &below)...)
	}
	cv.wrong(wrong, at)
	t := cv.terms(&own, at, ofGroups)
	return CompositePodGroupTemplate{
		Name: cv.text(own.Name), Disruption: t.disruption, Policy: t.policy, MinGroups: t.count,
		Priority: t.priority, PriorityClass: t.class, PreemptionPolicy: t.preemption, Topology: t.topology,
		Groups:     cv.groupTemplates(below.Groups, at, level+1),
		Composites: cv.compositeTemplates(below.Composites, at, level+1),
	}
}

// listed reports whether there may be a list of so many templates on a level.
func (cv *converter) listed(n, level int, list *fields.Path) bool {
	text := fields.TemplatesProblem(n, level)
	if text != "" {
		cv.add(list, "%s", text)
	}
	return text == ""
}
