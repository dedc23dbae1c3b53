package kube

import (
	"encoding/json"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// The API versions in which groups are written (rule 22.3.1).
const (
	groupAlpha2 = "scheduling.k8s.io/v1alpha2"
	groupAlpha3 = "scheduling.k8s.io/v1alpha3"
	groupBeta   = "scheduling.k8s.io/v1beta1"
)

// needsBeta reports whether the cluster has a group, composite group or workload that cannot be written in the API of
// v1.36.
func needsBeta(c *outrank.Cluster) bool {
	if len(c.Composites)+len(c.Workloads) > 0 {
		return true
	}
	for _, g := range c.Groups {
		if groupNeedsBeta(g) {
			return true
		}
	}
	return false
}

// groupNeedsBeta reports whether a group has a field that v1.36 does not know.
func groupNeedsBeta(g *outrank.PodGroup) bool { return g.PreemptionPolicy != "" || g.Parent != "" }

// group returns the wire form of a group of pods.
func (e *encoder) group(g *outrank.PodGroup) *manifest.PodGroup {
	e.subject = "podgroup " + string(g.Key())
	old := !e.beta && !groupNeedsBeta(g)
	w := &manifest.PodGroup{APIVersion: groupBeta, Kind: kindGroup}
	w.Metadata = manifest.Meta{Name: g.Name, Namespace: g.Namespace, UID: g.UID}
	w.Spec = e.terms(groupTerms(g), &apis.Path{Name: "spec", Index: -1}, apis.OfPods, old)
	w.Spec.Parent = g.Parent

	// Each version names the workload in another field (rule 22.2.4).
	if old {
		w.APIVersion = groupAlpha2
		w.Spec.TemplateRef.Workload.WorkloadName, w.Spec.TemplateRef.Workload.TemplateName = g.Workload, g.Template
	} else {
		w.Spec.WorkloadRef = manifest.WorkloadRef{WorkloadName: g.Workload, TemplateName: g.Template}
	}

	w.Status = scheduledStatus(g.Scheduled, apis.OfPods)
	return w
}

// composite returns the wire form of a composite group.
func (e *encoder) composite(g *outrank.CompositePodGroup) *manifest.PodGroup {
	e.subject = "compositepodgroup " + string(g.Key())
	w := &manifest.PodGroup{APIVersion: groupAlpha3, Kind: kindComposite}
	w.Metadata = manifest.Meta{Name: g.Name, Namespace: g.Namespace, UID: g.UID}
	w.Spec = e.terms(compositeTerms(g), &apis.Path{Name: "spec", Index: -1}, apis.OfGroups, false)
	w.Spec.Parent = g.Parent
	w.Spec.WorkloadRef = manifest.WorkloadRef{WorkloadName: g.Workload, TemplateName: g.Template}
	w.Status = scheduledStatus(g.Scheduled, apis.OfGroups)
	return w
}

// scheduledStatus returns the status of a group that was scheduled, or an empty one.
func scheduledStatus(scheduled bool, kind *apis.GroupKind) manifest.GroupStatus {
	if !scheduled {
		return manifest.GroupStatus{}
	}
	return manifest.GroupStatus{Conditions: []manifest.Condition{{Type: kind.Scheduled[0], Status: "True"}}}
}

// groupTerms returns the fields of a group in the form of a template. Groups, composite groups and the templates of both
// share the code that writes these fields.
func groupTerms(g *outrank.PodGroup) *outrank.PodGroupTemplate {
	return &outrank.PodGroupTemplate{
		DisruptionMode: g.DisruptionMode, Policy: g.Policy, MinCount: g.MinCount,
		Priority: g.Priority, PriorityClassName: g.PriorityClassName, PreemptionPolicy: g.PreemptionPolicy, Topology: g.Topology,
	}
}

// compositeTerms is like groupTerms, for a composite group. MinCount holds its MinGroupCount.
func compositeTerms(g *outrank.CompositePodGroup) *outrank.PodGroupTemplate {
	return &outrank.PodGroupTemplate{
		DisruptionMode: g.DisruptionMode, Policy: g.Policy, MinCount: g.MinGroupCount,
		Priority: g.Priority, PriorityClassName: g.PriorityClassName, PreemptionPolicy: g.PreemptionPolicy, Topology: g.Topology,
	}
}

// templateTerms is like compositeTerms, for the template of a composite group.
func templateTerms(t *outrank.CompositePodGroupTemplate) *outrank.PodGroupTemplate {
	return &outrank.PodGroupTemplate{
		DisruptionMode: t.DisruptionMode, Policy: t.Policy, MinCount: t.MinGroupCount,
		Priority: t.Priority, PriorityClassName: t.PriorityClassName, PreemptionPolicy: t.PreemptionPolicy, Topology: t.Topology,
	}
}

// terms returns the wire form of the fields that groups and templates share. old selects the format of v1.36.
func (e *encoder) terms(t *outrank.PodGroupTemplate, at *apis.Path, kind *apis.GroupKind, old bool) manifest.GroupSpec {
	w := manifest.GroupSpec{
		Priority: t.Priority, PriorityClassName: t.PriorityClassName, PreemptionPolicy: string(t.PreemptionPolicy),
	}
	for _, key := range t.Topology {
		w.SchedulingConstraints.Topology = append(w.SchedulingConstraints.Topology, manifest.TopologyConstraint{Key: key})
	}

	// A policy or mode that Kubernetes does not know has no wire form.
	switch t.Policy {
	case "":
	case outrank.BasicPolicy:
		w.SchedulingPolicy.Basic = &struct{}{}
	case outrank.GangPolicy:
		w.SchedulingPolicy.Gang = &manifest.GangPolicy{MinCount: t.MinCount}
		if kind.Composite {
			w.SchedulingPolicy.Gang = &manifest.GangPolicy{MinGroupCount: t.MinCount}
		}
	default:
		policy := at.Field("schedulingPolicy")
		e.add(&policy, "%s is neither basic nor gang", apis.Quote(string(t.Policy)))
	}

	switch t.DisruptionMode {
	case "":
	case outrank.DisruptPod, outrank.DisruptPodGroup:
		w.DisruptionMode = wireDisruption(t.DisruptionMode, old)
	default:
		mode := at.Field("disruptionMode")
		e.add(&mode, "%s is %s", apis.Quote(string(t.DisruptionMode)), kind.Modes)
	}
	return w
}

// wireDisruption writes a disruption mode, in the format of v1.36 if old is set (rule 22.2.2).
func wireDisruption(mode outrank.DisruptionMode, old bool) json.RawMessage {
	switch {
	case old:
		return []byte(`"` + mode + `"`)
	case mode == outrank.DisruptPodGroup:
		return []byte(`{"all":{}}`)
	}
	return []byte(`{"single":{}}`)
}
