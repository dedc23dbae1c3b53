package outrank

import (
	"time"

	"github.com/outrank-go/outrank/resource"
)

// DefaultScheduler is the scheduler of a pod that names none.
const DefaultScheduler = "default-scheduler"

// Pod is one pod: what it asks for, where it runs and how important it is.
// The zero value of a field means that the object says nothing about it.
type Pod struct {
	// Name and Namespace identify the pod; an empty Namespace is "default".
	Name, Namespace string
	// UID tells a pod apart from earlier and later pods of the same name. It may
	// be empty.
	UID    string
	Labels map[string]string
	// Owner is the controller that made the pod, if any.
	Owner Owner

	// NodeName is the node that the pod runs on; empty for a pending pod. The preemptor
	// may name the only node that it wants, which the filter NodeName honours.
	NodeName string
	// NominatedNodeName is the node on which an earlier preemption made room for
	// this pending pod.
	NominatedNodeName string

	// Priority is nil for a pod that was never given one. The scheduler counts it as 0.
	// At admission the kubelet compares priorities only where both pods have one.
	Priority *int32
	// PriorityClassName names the class that the priority comes from.
	PriorityClassName string
	// PreemptionPolicy says whether the pod may push others out; empty means
	// PreemptLowerPriority.
	PreemptionPolicy PreemptionPolicy

	// Containers run together. InitContainers run before them, one after another;
	// the sidecars among them go on running.
	Containers, InitContainers []Container
	// Resources are the pod-level requests and limits; nil if the pod has
	// none. A pointer to an empty value counts as present (rule 3.4).
	Resources *resource.Requirements
	// AllocatedResources and Actual are the pod-level requests that the status of a running
	// pod reports: what the node has set aside (status.allocatedResources) and
	// what is in force (status.resources.requests). A nil list means that the status has
	// none, an empty list that the status has one without entries.
	AllocatedResources, Actual resource.List
	// Reported is set if the status has resources, but no requests in them. If it is not
	// set and Actual is nil, the status has no resources, and of the pod-level figures
	// only the spec counts.
	Reported bool
	// Overhead is what the pod's runtime needs beside its containers.
	Overhead resource.List
	// ResizeInfeasible is set while the node reports that the resize the spec
	// asks for can never be done; the spec is then left out of the requests
	// of a running pod.
	ResizeInfeasible bool
	// ResizeDeferred is set while the node reports that the resize the spec asks
	// for has to wait, for lack of room: the reason of the pod's first
	// PodResizePending condition is Deferred.
	ResizeDeferred bool

	// NodeSelector lists labels that the node must have. Affinity has further demands
	// on the node and on the pods near it. Both must hold.
	NodeSelector map[string]string
	Affinity     Affinity
	Tolerations  []Toleration
	// Preferences are the wishes of the pod about its node; nil for none.
	Preferences *Preferences
	// TopologySpreadConstraints limit how unevenly pods may be spread over topology domains.
	TopologySpreadConstraints []TopologySpreadConstraint

	// SchedulerName is the scheduler that is to place the pod; empty means
	// DefaultScheduler. While the pod has SchedulingGates it is not placed at all;
	// most pods have none.
	SchedulerName   string
	SchedulingGates []string
	// OS is the operating system that the pod asks for, empty for any.
	OS string
	// StrictGroups is set if the pod's supplementalGroupsPolicy is Strict,
	// which its node has to support.
	StrictGroups bool

	// HostNetwork is set if the pod shares the node's network. HostUsers
	// says whether it shares the node's users; nil means that it does.
	HostNetwork bool
	HostUsers   *bool

	// Grace is the time that the pod has to end when it is deleted, in whole
	// seconds (spec.terminationGracePeriodSeconds); nil if the pod does not say.
	// See Pod.GracePeriod.
	Grace *time.Duration

	// Volumes are the volumes that limit where the pod can run.
	Volumes []Volume
	// Group names the pod group in the pod's namespace that it belongs to.
	Group string
	// ResourceClaims are the names by which the pod refers to its claims for devices
	// (spec.resourceClaims). No rule of this module looks at devices; a filter of the
	// caller's may.
	ResourceClaims []string

	// StartTime is when the kubelet acknowledged the pod; zero if it has not yet. A pod
	// without a start time counts as started now.
	StartTime time.Time
	// DeletionTimestamp is not zero while the pod is being deleted.
	DeletionTimestamp time.Time
	// DisruptionReason is the reason of the pod's first DisruptionTarget
	// condition, if that is True; else empty.
	DisruptionReason string
	// Ready says whether the pod's Ready condition is True.
	Ready bool
	// QOSClass is the class recorded in the status; empty if none is.
	QOSClass QOSClass

	// Static marks a pod that the kubelet reads from a file or a URL instead of the API
	// server. Mirror marks the copy of a static pod that the API server shows.
	Static, Mirror bool
	// Phase is the pod's stage of life. Pods in PhaseSucceeded and PhaseFailed
	// hold nothing any more.
	Phase Phase

	// Value is the caller's own: a pointer to its record of the pod, say. It
	// stays with every copy of the pod. Nothing in this module looks at it,
	// compares it or writes it to JSON.
	Value any
}

// Owner is the controller of a pod.
type Owner struct {
	Kind, Name string
}

// String returns "Kind/Name", empty for a pod without a controller.
func (o Owner) String() string {
	if o == (Owner{}) {
		return ""
	}
	return o.Kind + "/" + o.Name
}

// Phase is the coarse state of a pod's life.
type Phase string

// The phases of a pod. An empty or unknown phase counts as PhaseRunning for a pod
// with a node, and as PhasePending for any other (rule 26.1.3).
const (
	PhasePending   Phase = "Pending"
	PhaseRunning   Phase = "Running"
	PhaseSucceeded Phase = "Succeeded"
	PhaseFailed    Phase = "Failed"
)

// PreemptionPolicy says whether a pod may push others out.
type PreemptionPolicy string

// The policies. An empty one means PreemptLowerPriority.
const (
	PreemptLowerPriority PreemptionPolicy = "PreemptLowerPriority"
	PreemptNever         PreemptionPolicy = "Never"
)

// QOSClass is a quality of service class; package qos computes it.
type QOSClass string

// The classes, in the order in which the kubelet evicts their pods.
const (
	BestEffort QOSClass = "BestEffort"
	Burstable  QOSClass = "Burstable"
	Guaranteed QOSClass = "Guaranteed"
)

// Reasons of a DisruptionTarget condition that preemption sets.
const (
	PreemptionByScheduler = "PreemptionByScheduler"
	TerminationByKubelet  = "TerminationByKubelet"
)

// Container is one container, as far as placing its pod depends on it.
type Container struct {
	Name string
	// Image is the name of the container's image. Only scores look at it.
	Image            string
	Requests, Limits resource.List
	Ports            []Port
	// Sidecar marks an init container with restartPolicy Always: it keeps
	// running beside the containers that start after it.
	Sidecar bool
	// RestartsAll is set where one of the container's restart policy rules has
	// the action RestartAllContainers.
	RestartsAll bool
	// BindMountOptions is set where one of the container's volume mounts has
	// bindMountOptions.
	BindMountOptions bool
	// AllocatedResources and Actual are the requests that the status of a running
	// container reports: what the node has set aside (allocatedResources) and
	// what is in force (resources.requests). They differ from Requests while
	// the pod is being resized in place. A nil list means that the status has none, an
	// empty list that the status has one without entries.
	AllocatedResources, Actual resource.List
	// Reported is set if the status has resources, but no requests in them. If it is not
	// set and Actual is nil, the status has no resources, and v1.36 does not look at
	// AllocatedResources.
	Reported bool
}

// Port is a port of a container that may be bound on the node.
type Port struct {
	// HostPort is the port that is taken on the node, 0 for none.
	HostPort int32 `json:"hostPort,omitempty"`
	// HostIP is the address on which the port is taken; empty means 0.0.0.0, which
	// overlaps every address.
	HostIP string `json:"hostIP,omitempty"`
	// Protocol is TCP if empty.
	Protocol string `json:"protocol,omitempty"`
}

// Key returns the pod's key, "namespace/name".
func (p *Pod) Key() Key { return NewKey(p.Namespace, p.Name) }

// NamespaceName returns the pod's namespace, "default" if it names none.
func (p *Pod) NamespaceName() string { return namespaceOr(p.Namespace) }

// Finished reports whether the pod has ended and holds nothing any more.
func (p *Pod) Finished() bool { return p.Phase == PhaseSucceeded || p.Phase == PhaseFailed }

// Scheduler returns the name of the scheduler that is to place the pod,
// [DefaultScheduler] if it names none.
func (p *Pod) Scheduler() string {
	if p.SchedulerName == "" {
		return DefaultScheduler
	}
	return p.SchedulerName
}

// Gated reports whether scheduling gates keep the pod from being placed.
func (p *Pod) Gated() bool { return len(p.SchedulingGates) > 0 }

// Terminating reports whether the pod is being deleted.
func (p *Pod) Terminating() bool { return !p.DeletionTimestamp.IsZero() }

// PriorityValue returns the pod's priority as kube-scheduler counts it: 0 if the
// pod has none (component-helpers PodPriority).
func (p *Pod) PriorityValue() int32 {
	if p.Priority == nil {
		return 0
	}
	return *p.Priority
}

// Priority returns a pointer to value, for writing a [Pod] by hand.
func Priority(value int32) *int32 { return &value }

// DefaultGracePeriod is the grace period that the API server sets for a pod without one.
const DefaultGracePeriod = 30 * time.Second

// GracePeriod returns the time that the pod has to end when it is deleted: its own, or
// standard if it has none. A negative one of its own counts as one second, as it
// does for the API server (rule 14.1.12 of preemption/scheduler/execution).
func (p *Pod) GracePeriod(standard time.Duration) time.Duration {
	switch {
	case p.Grace == nil:
		return standard
	case *p.Grace < 0:
		return time.Second
	}
	return *p.Grace
}

// Tolerates reports whether any of the pod's tolerations covers the taint.
// Time is proportional to the number of tolerations.
func (p *Pod) Tolerates(taint Taint) bool {
	for _, t := range p.Tolerations {
		if t.Tolerates(taint) {
			return true
		}
	}
	return false
}
