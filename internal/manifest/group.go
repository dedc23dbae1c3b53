package manifest

import "encoding/json"

// The types below are those of scheduling.k8s.io for groups of pods. They have the fields of all versions side
// by side (chapter 22).

// PodGroup is a PodGroup or a CompositePodGroup. Their policies count different things. Other projects have
// kinds of the same names; APIVersion tells them apart.
type PodGroup struct {
	APIVersion string      `json:"apiVersion,omitempty"`
	Kind       Written     `json:"kind,omitempty"`
	Metadata   Meta        `json:"metadata"`
	Spec       GroupSpec   `json:"spec,omitzero"`
	Status     GroupStatus `json:"status,omitzero"`
}

// GroupSpec is spec of a PodGroup or a CompositePodGroup. It is also an entry of the templates of a Workload;
// such an entry has a name and no parent.
type GroupSpec struct {
	Name                  string           `json:"name,omitempty"`
	Parent                string           `json:"parentCompositePodGroupName,omitempty"`
	TemplateRef           TemplateRef      `json:"podGroupTemplateRef,omitzero"`
	WorkloadRef           WorkloadRef      `json:"workloadRef,omitzero"`
	DisruptionMode        json.RawMessage  `json:"disruptionMode,omitempty"`
	Priority              *int32           `json:"priority,omitempty"`
	SchedulingPolicy      GroupPolicy      `json:"schedulingPolicy,omitzero"`
	SchedulingConstraints GroupConstraints `json:"schedulingConstraints,omitzero"`
	PriorityClassName     string           `json:"priorityClassName,omitempty"`
	PreemptionPolicy      string           `json:"preemptionPolicy,omitempty"`
	// ResourceClaims is only read for a warning.
	ResourceClaims []struct{} `json:"resourceClaims,omitempty"`
}

// TemplateRef is spec.podGroupTemplateRef of v1alpha2.
type TemplateRef struct {
	Workload struct {
		WorkloadName string `json:"workloadName,omitempty"`
		TemplateName string `json:"podGroupTemplateName,omitempty"`
	} `json:"workload,omitzero"`
}

// WorkloadRef is spec.workloadRef of later versions.
type WorkloadRef struct {
	WorkloadName string `json:"workloadName,omitempty"`
	TemplateName string `json:"templateName,omitempty"`
}

// GroupPolicy is spec.schedulingPolicy, which has one of the two members.
type GroupPolicy struct {
	Basic *struct{}   `json:"basic,omitempty"`
	Gang  *GangPolicy `json:"gang,omitempty"`
}

// GangPolicy is spec.schedulingPolicy.gang, which counts the pods of a PodGroup or the groups of a
// CompositePodGroup.
type GangPolicy struct {
	MinCount      int32 `json:"minCount,omitempty"`
	MinGroupCount int32 `json:"minGroupCount,omitempty"`
}

// GroupConstraints is spec.schedulingConstraints.
type GroupConstraints struct {
	Topology []TopologyConstraint `json:"topology,omitempty"`
}

// TopologyConstraint is an entry of spec.schedulingConstraints.topology.
type TopologyConstraint struct {
	Key string `json:"key"`
}

// DisruptionMode is spec.disruptionMode from v1alpha3 on, which has one of the two members.
type DisruptionMode struct {
	Single *struct{} `json:"single,omitempty"`
	All    *struct{} `json:"all,omitempty"`
}

// GroupStatus is status of a group.
type GroupStatus struct {
	Conditions []Condition `json:"conditions,omitempty"`
}

// Workload is scheduling.k8s.io Workload.
type Workload struct {
	APIVersion string       `json:"apiVersion,omitempty"`
	Kind       Written      `json:"kind,omitempty"`
	Metadata   Meta         `json:"metadata"`
	Spec       WorkloadSpec `json:"spec,omitzero"`
}

// WorkloadSpec is spec of a Workload. An entry of its composite templates has the two lists, too, and the fields of
// GroupSpec. Such entries stay text here: their reader knows how deep they may be.
type WorkloadSpec struct {
	ControllerRef Owner             `json:"controllerRef,omitzero"`
	Groups        []GroupSpec       `json:"podGroupTemplates,omitempty"`
	Composites    []json.RawMessage `json:"compositePodGroupTemplates,omitempty"`
}
