package kube

import (
	"encoding/json"
	"errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// workload returns the wire form of a workload. The templates of an invalid workload may contain themselves, so it is
// not converted; its problems are recorded.
func (e *encoder) workload(one *outrank.Workload) *manifest.Workload {
	e.subject = "workload " + string(one.Key())
	if !e.valid(one) {
		return &manifest.Workload{}
	}

	spec := apis.Path{Name: "spec", Index: -1}
	w := &manifest.Workload{APIVersion: groupBeta, Kind: kindWorkload}
	w.Metadata = manifest.Meta{Name: one.Name, Namespace: one.Namespace}
	w.Spec = manifest.WorkloadSpec{
		ControllerRef: manifest.Owner{Kind: one.Owner.Kind, Name: one.Owner.Name},
		Groups:        e.groupTemplates(one.PodGroupTemplates, &spec),
		Composites:    e.compositeTemplates(one.CompositePodGroupTemplates, &spec),
	}
	return w
}

// valid records the problems of a workload, except those of its name. It reports whether there are none.
func (e *encoder) valid(one *outrank.Workload) bool {
	named := *one
	named.Name = "named"
	var invalid *outrank.InputError
	if !errors.As((&outrank.Cluster{Workloads: []*outrank.Workload{&named}}).Validate(), &invalid) {
		return true
	}

	for _, p := range invalid.Problems {
		e.problems = append(e.problems, outrank.Problem{Object: e.subject, Field: p.Field, Text: p.Text})
	}
	return false
}

// groupTemplates returns the wire form of the templates of groups of pods on one level of a workload.
func (e *encoder) groupTemplates(ts []outrank.PodGroupTemplate, parent *apis.Path) []manifest.GroupSpec {
	list := parent.Field("podGroupTemplates")
	var out []manifest.GroupSpec
	for i := range ts {
		at := list.At(i)
		w := e.terms(&ts[i], &at, apis.OfPods, false)
		w.Name = ts[i].Name
		out = append(out, w)
	}
	return out
}

// compositeTemplates returns the JSON of the templates of composite groups on one level of a workload. Each is one object
// with the fields of a group and the fields of a workload.
func (e *encoder) compositeTemplates(ts []outrank.CompositePodGroupTemplate, parent *apis.Path) []json.RawMessage {
	list := parent.Field("compositePodGroupTemplates")
	var out []json.RawMessage
	for i := range ts {
		at := list.At(i)
		own := e.terms(templateTerms(&ts[i]), &at, apis.OfGroups, false)
		own.Name = ts[i].Name
		below := manifest.WorkloadSpec{
			Groups:     e.groupTemplates(ts[i].PodGroupTemplates, &at),
			Composites: e.compositeTemplates(ts[i].CompositePodGroupTemplates, &at),
		}
		out = append(out, joined(e.part(&own, &at), e.part(&below, &at)))
	}
	return out
}

// joined merges two JSON objects that have no field in common.
func joined(a, b []byte) []byte {
	if len(a) <= len("{}") {
		return b
	}
	if len(b) <= len("{}") {
		return a
	}
	out := append([]byte(nil), a[:len(a)-1]...)
	return append(append(out, ','), b[1:]...)
}
