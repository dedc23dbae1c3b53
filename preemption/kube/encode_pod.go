package kube

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// pod returns the wire form of a pod.
func (e *encoder) pod(p *outrank.Pod) *manifest.Pod {
	e.subject = "pod " + string(p.Key())

	// root is the path of the object itself, at which the paths of its fields begin.
	root := (*apis.Path)(nil)
	spec, status := root.Field("spec"), root.Field("status")
	w := &manifest.Pod{
		APIVersion: "v1", Kind: kindPod,
		Metadata: manifest.Meta{
			Name: p.Name, Namespace: p.Namespace, UID: p.UID, Labels: p.Labels,
			Annotations:       wireSource(p),
			DeletionTimestamp: e.time(p.DeletionTimestamp),
			OwnerReferences:   wireOwner(p.Owner),
		},
		Spec: e.podSpec(p, &spec),
		Status: manifest.PodStatus{
			Phase: string(p.Phase), StartTime: e.time(p.StartTime),
			NominatedNodeName: p.NominatedNodeName, QOSClass: string(p.QOSClass),
			Conditions:            wireConditions(p),
			ContainerStatuses:     e.statuses(p.Containers, "containers", &spec),
			InitContainerStatuses: e.statuses(p.InitContainers, "initContainers", &spec),
			AllocatedResources:    wireReported(p.AllocatedResources),
		},
	}

	if p.ResizeDeferred && p.ResizeInfeasible {
		conditions := status.Field("conditions")
		e.add(&conditions, "a resize that is deferred and infeasible at once")
	}
	if hasReport(p.Reported, p.Actual) {
		r := manifest.Requirements{Requests: wireReported(p.Actual)}
		w.Status.Resources = &r
	}
	return w
}

// podSpec returns the wire form of a pod's spec. at is the path of the spec in problems.
func (e *encoder) podSpec(p *outrank.Pod, at *apis.Path) manifest.PodSpec {
	w := manifest.PodSpec{
		NodeName: p.NodeName, HostNetwork: p.HostNetwork, HostUsers: p.HostUsers, Priority: p.Priority, PriorityClassName: p.PriorityClassName,
		PreemptionPolicy: string(p.PreemptionPolicy),
		Containers:       wireContainers(p.Containers), InitContainers: wireContainers(p.InitContainers),
		Overhead: wireAmounts(p.Overhead), NodeSelector: p.NodeSelector, Affinity: wirePreferences(wireAffinity(&p.Affinity), p.Preferences),
		Volumes:         e.volumes(p, at),
		SchedulingGroup: manifest.SchedulingGroup{PodGroupName: p.Group},
		SchedulerName:   p.SchedulerName, OS: manifest.OS{Name: p.OS},
	}

	grace := at.Field("terminationGracePeriodSeconds")
	w.TerminationGraceSeconds = e.grace(p.Grace, &grace)
	if p.StrictGroups {
		w.SecurityContext.SupplementalGroupsPolicy = strictGroups
	}
	if p.Resources != nil {
		r := wireRequirements(p.Resources.Requests, p.Resources.Limits)
		w.Resources = &r
	}

	// Lists stay nil if they are empty, so that they are left out.
	for _, gate := range p.SchedulingGates {
		w.SchedulingGates = append(w.SchedulingGates, manifest.SchedulingGate{Name: gate})
	}
	for _, claim := range p.ResourceClaims {
		w.ResourceClaims = append(w.ResourceClaims, manifest.ResourceClaim{Name: claim})
	}
	for _, t := range p.Tolerations {
		w.Tolerations = append(w.Tolerations, manifest.Toleration{
			Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect),
		})
	}
	for i := range p.TopologySpreadConstraints {
		w.TopologySpreadConstraints = append(w.TopologySpreadConstraints, wireSpread(&p.TopologySpreadConstraints[i]))
	}
	return w
}

// grace converts a duration to a number of seconds; nil stays nil. A fraction of a second is a problem.
func (e *encoder) grace(d *time.Duration, at *apis.Path) *int64 {
	if d == nil {
		return nil
	}
	if *d%time.Second != 0 {
		e.add(at, "%v is not in whole seconds", *d)
		return nil
	}
	seconds := int64(*d / time.Second)
	return &seconds
}

// wireSource returns the annotations that mark static pods and mirror pods. In a real cluster their values name the
// source and the pod, which are not kept. The values here only make the same marks read back.
func wireSource(p *outrank.Pod) manifest.Annotations {
	var a manifest.Annotations
	if p.Static {
		source := "file"
		a.ConfigSource = &source
	}
	if p.Mirror {
		mirror := "true"
		a.ConfigMirror = &mirror
	}
	return a
}

// wireOwner returns the controller of a pod as its only owner; none for the zero Owner.
func wireOwner(o outrank.Owner) []manifest.Owner {
	if o == (outrank.Owner{}) {
		return nil
	}
	return []manifest.Owner{{Kind: o.Kind, Name: o.Name, Controller: true}}
}

// wireConditions returns the conditions for the fields of a pod that come from conditions.
func wireConditions(p *outrank.Pod) []manifest.Condition {
	var cs []manifest.Condition
	if p.Ready {
		cs = append(cs, manifest.Condition{Type: "Ready", Status: "True"})
	}
	if p.ResizeDeferred {
		cs = append(cs, manifest.Condition{Type: "PodResizePending", Status: "True", Reason: "Deferred"})
	}
	if p.ResizeInfeasible {
		cs = append(cs, manifest.Condition{Type: "PodResizePending", Status: "True", Reason: "Infeasible"})
	}
	if p.DisruptionReason != "" {
		cs = append(cs, manifest.Condition{Type: "DisruptionTarget", Status: "True", Reason: p.DisruptionReason})
	}
	return cs
}
