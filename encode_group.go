package outrank

import (
	"encoding/json"

	"github.com/outrank-go/outrank/internal/fields"
	"github.com/outrank-go/outrank/internal/manifest"
)

// The versions that groups are written in (rule 22.3.1).
const (
	groupAlpha2 = "scheduling.k8s.io/v1alpha2"
	groupAlpha3 = "scheduling.k8s.io/v1alpha3"
	groupBeta   = "scheduling.k8s.io/v1beta1"
)

// needsBeta reports whether some group, or some other object that goes with it,
// says what v1.36 has no words for.
func (c *Cluster) needsBeta() bool {
	if len(c.Composites)+len(c.Workloads) > 0 {
		return true
	}
	for _, g := range c.Groups {
		if g.needsBeta() {
			return true
		}
	}
	return false
}

func (g *PodGroup) needsBeta() bool { return g.PreemptionPolicy != "" || g.Parent != "" }

func (e *encoder) group(g *PodGroup) *manifest.PodGroup {
	e.subject = "podgroup " + string(g.Key())
	old := !e.beta && !g.needsBeta()
	w := &manifest.PodGroup{APIVersion: groupBeta, Kind: kindGroup}
	w.Metadata = manifest.Meta{Name: g.Name, Namespace: g.Namespace, UID: g.UID}
	w.Spec = e.terms(g.terms(), &fields.Path{Name: "spec", Index: -1}, ofPods, old)
	w.Spec.Parent = g.Parent
	if old {
		w.APIVersion = groupAlpha2
		w.Spec.TemplateRef.Workload.WorkloadName, w.Spec.TemplateRef.Workload.TemplateName = g.Workload, g.Template
	} else {
		w.Spec.WorkloadRef = manifest.WorkloadRef{WorkloadName: g.Workload, TemplateName: g.Template}
	}
	w.Status = ofPods.status(g.Scheduled)
	return w
}

func (e *encoder) composite(g *CompositePodGroup) *manifest.PodGroup {
	e.subject = "compositepodgroup " + string(g.Key())
	w := &manifest.PodGroup{APIVersion: groupAlpha3, Kind: kindComposite}
	w.Metadata = manifest.Meta{Name: g.Name, Namespace: g.Namespace, UID: g.UID}
	w.Spec = e.terms(g.terms(), &fields.Path{Name: "spec", Index: -1}, ofGroups, false)
	w.Spec.Parent = g.Parent
	w.Spec.WorkloadRef = manifest.WorkloadRef{WorkloadName: g.Workload, TemplateName: g.Template}
	w.Status = ofGroups.status(g.Scheduled)
	return w
}

func (k *groupKind) status(scheduled bool) manifest.GroupStatus {
	if !scheduled {
		return manifest.GroupStatus{}
	}
	return manifest.GroupStatus{Conditions: []manifest.Condition{{Type: k.scheduled[0], Status: "True"}}}
}

// terms writes what a group or template says of itself; old is for v1.36.
func (e *encoder) terms(t groupTerms, at *fields.Path, kind *groupKind, old bool) manifest.GroupSpec {
	w := manifest.GroupSpec{
		Priority: t.priority, PriorityClassName: t.class, PreemptionPolicy: string(t.preemption),
	}
	for _, key := range t.topology {
		w.SchedulingConstraints.Topology = append(w.SchedulingConstraints.Topology, manifest.TopologyConstraint{Key: key})
	}
	switch t.policy {
	case "":
	case BasicPolicy:
		w.SchedulingPolicy.Basic = &struct{}{}
	case GangPolicy:
		w.SchedulingPolicy.Gang = &manifest.GangPolicy{MinCount: t.count}
		if kind.composite {
			w.SchedulingPolicy.Gang = &manifest.GangPolicy{MinGroupCount: t.count}
		}
	default:
		policy := at.Field("schedulingPolicy")
		e.add(&policy, "%s is neither basic nor gang", fields.Quote(string(t.policy)))
	}
	switch t.disruption {
	case "":
	case DisruptPod, DisruptPodGroup:
		w.DisruptionMode = wireDisruption(t.disruption, old)
	default:
		mode := at.Field("disruptionMode")
		e.add(&mode, "%s is %s", fields.Quote(string(t.disruption)), kind.modes)
	}
	return w
}

func wireDisruption(mode DisruptionMode, old bool) json.RawMessage {
	switch {
	case old:
		return []byte(`"` + mode + `"`)
	case mode == DisruptPodGroup:
		return []byte(`{"all":{}}`)
	}
	return []byte(`{"single":{}}`)
}

func (e *encoder) workload(one *Workload) *manifest.Workload {
	e.subject = "workload " + string(one.Key())
	v := validator{subject: e.subject}
	if v.workload(one); len(v.problems) > 0 { // it may be without end
		e.problems = append(e.problems, v.problems...)
		return &manifest.Workload{}
	}
	spec := fields.Path{Name: "spec", Index: -1}
	w := &manifest.Workload{APIVersion: groupBeta, Kind: kindWorkload}
	w.Metadata = manifest.Meta{Name: one.Name, Namespace: one.Namespace}
	w.Spec = manifest.WorkloadSpec{
		ControllerRef: manifest.Owner{Kind: one.Owner.Kind, Name: one.Owner.Name},
		Groups:        e.groupTemplates(one.Groups, &spec),
		Composites:    e.compositeTemplates(one.Composites, &spec),
	}
	return w
}

func (e *encoder) groupTemplates(ts []PodGroupTemplate, parent *fields.Path) []manifest.GroupSpec {
	list := parent.Field("podGroupTemplates")
	var out []manifest.GroupSpec
	for i := range ts {
		at := list.At(i)
		w := e.terms(ts[i].terms(), &at, ofPods, false)
		w.Name = ts[i].Name
		out = append(out, w)
	}
	return out
}

func (e *encoder) compositeTemplates(ts []CompositePodGroupTemplate, parent *fields.Path) []json.RawMessage {
	list := parent.Field("compositePodGroupTemplates")
	var out []json.RawMessage
	for i := range ts {
		at := list.At(i)
		own := e.terms(ts[i].terms(), &at, ofGroups, false)
		own.Name = ts[i].Name
		below := manifest.WorkloadSpec{
			Groups:     e.groupTemplates(ts[i].Groups, &at),
			Composites: e.compositeTemplates(ts[i].Composites, &at),
		}
		out = append(out, joined(e.part(&own, &at), e.part(&below, &at)))
	}
	return out
}

// part returns the JSON of a part of an object.
func (e *encoder) part(wire any, at *fields.Path) []byte {
	text, wrong := manifest.Encode(wire)
	for _, m := range wrong {
		one := at.Field(m.Field)
		e.add(&one, "%s", m.Text)
	}
	return text
}

// joined makes one JSON object of two that have no field in common.
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
