package kube

import (
	"math"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// pod converts a pod. Problems come in the order of the steps.
func (cv *converter) pod(w *manifest.Pod) *outrank.Pod {
	m, s := &w.Metadata, &w.Spec
	st := &w.Status
	root := (*apis.Path)(nil)
	spec, status, meta := root.Field("spec"), root.Field("status"), root.Field("metadata")
	p := &outrank.Pod{
		Name: m.Name, Namespace: cv.text(m.Namespace), UID: m.UID,
		Labels:            cv.labels(m.Labels),
		Owner:             cv.owner(m.OwnerReferences),
		NodeName:          cv.text(s.NodeName),
		SchedulerName:     cv.text(s.SchedulerName),
		OS:                cv.text(s.OS.Name),
		StrictGroups:      s.SecurityContext.SupplementalGroupsPolicy == strictGroups,
		HostNetwork:       s.HostNetwork,
		HostUsers:         s.HostUsers,
		Grace:             graceOf(s.TerminationGraceSeconds),
		NominatedNodeName: cv.text(st.NominatedNodeName),
		Priority:          s.Priority,
		PriorityClassName: cv.text(s.PriorityClassName),
		PreemptionPolicy:  outrank.PreemptionPolicy(cv.text(s.PreemptionPolicy)),
		Group:             cv.text(s.SchedulingGroup.PodGroupName),
		NodeSelector:      cv.labels(s.NodeSelector),
		QOSClass:          outrank.QOSClass(cv.text(st.QOSClass)),
		Phase:             outrank.Phase(cv.text(st.Phase)),
		Mirror:            m.Annotations.ConfigMirror != nil,
		Static:            m.Annotations.ConfigSource != nil && *m.Annotations.ConfigSource != "api",
	}

	context := spec.Field("securityContext")
	cv.word(s.SecurityContext.SupplementalGroupsPolicy, groupsPolicies, "supplementalGroupsPolicy", &context)

	// A container's status can be in either of the two lists of statuses.
	list := spec.Field("containers")
	p.Containers = cv.containers(s.Containers, st.ContainerStatuses, st.InitContainerStatuses, &list)
	p.Volumes = cv.volumes(w)
	list = spec.Field("initContainers")
	p.InitContainers = cv.containers(s.InitContainers, st.InitContainerStatuses, st.ContainerStatuses, &list)
	at := spec.Field("resources")
	if s.Resources != nil {
		r := cv.requirements(s.Resources, &at)
		p.Resources = &r
	}

	cv.podLevelStatus(p, st)
	at = spec.Field("overhead")
	p.Overhead = cv.amounts(s.Overhead, &at)
	cv.podPlacement(p, s)

	at = status.Field("startTime")
	p.StartTime = cv.time(st.StartTime, &at)
	at = meta.Field("deletionTimestamp")
	p.DeletionTimestamp = cv.time(m.DeletionTimestamp, &at)
	cv.conditions(p, st.Conditions)
	cv.podTimes(w)
	return p
}

// podPlacement converts what a pod requires and prefers of its node, and what prevents its scheduling.
func (cv *converter) podPlacement(p *outrank.Pod, s *manifest.PodSpec) {
	for _, gate := range s.SchedulingGates {
		p.SchedulingGates = append(p.SchedulingGates, cv.text(gate.Name))
	}
	for _, claim := range s.ResourceClaims {
		p.ResourceClaims = append(p.ResourceClaims, cv.text(claim.Name))
	}

	if s.Affinity != nil {
		p.Affinity = cv.affinity(s.Affinity)
	}
	p.Preferences = cv.preferences(s)
	for _, t := range s.Tolerations {
		p.Tolerations = append(p.Tolerations, outrank.Toleration{Key: cv.text(t.Key), Operator: outrank.TolerationOperator(cv.text(t.Operator)), Value: cv.text(t.Value), Effect: outrank.TaintEffect(cv.text(t.Effect))})
	}
	for i := range s.TopologySpreadConstraints {
		p.TopologySpreadConstraints = append(p.TopologySpreadConstraints, cv.spread(&s.TopologySpreadConstraints[i]))
	}
}

// podLevelStatus converts the pod-level requests that the status reports.
func (cv *converter) podLevelStatus(p *outrank.Pod, st *manifest.PodStatus) {
	status := apis.Path{Name: "status", Index: -1}
	at := status.Field("allocatedResources")
	p.AllocatedResources = cv.reported(st.AllocatedResources, &at)
	if st.Resources != nil {
		res := status.Field("resources")
		at = res.Field("requests")
		p.Actual = cv.reported(st.Resources.Requests, &at)
		p.Reported = p.Actual == nil
	}
}

// owner returns the owner that is the pod's controller, or the zero Owner.
func (cv *converter) owner(refs []manifest.Owner) outrank.Owner {
	for _, o := range refs {
		if o.Controller {
			return outrank.Owner{Kind: cv.text(o.Kind), Name: cv.text(o.Name)}
		}
	}
	return outrank.Owner{}
}

// conditions converts the three conditions that matter. Of several DisruptionTarget or
// PodResizePending conditions only the first counts.
func (cv *converter) conditions(p *outrank.Pod, cs []manifest.Condition) {
	disruption, resize := false, false
	for _, c := range cs {
		switch c.Type {
		case "Ready":
			p.Ready = p.Ready || c.Status == "True"
		case "PodResizePending":
			p.ResizeInfeasible = p.ResizeInfeasible || !resize && c.Reason == "Infeasible"
			p.ResizeDeferred = p.ResizeDeferred || !resize && c.Reason == "Deferred"
			resize = true
		case "DisruptionTarget":
			if !disruption && c.Status == "True" {
				p.DisruptionReason = cv.text(c.Reason)
			}
			disruption = true
		}
	}
}

// mostGrace is the longest grace period in seconds that fits into a time.Duration. Longer ones are cut to it.
const mostGrace = int64(math.MaxInt64 / time.Second)

// graceOf returns a number of seconds as a duration; nil for none.
func graceOf(seconds *int64) *time.Duration {
	if seconds == nil {
		return nil
	}
	d := time.Duration(max(-mostGrace, min(*seconds, mostGrace))) * time.Second
	return &d
}
