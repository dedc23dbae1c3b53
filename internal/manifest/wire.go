package manifest

import (
	"encoding/json"

	"github.com/outrank-go/outrank/resource"
)

// The types below are the parts of Kubernetes objects in JSON that matter here, for reading and for writing.
// Reading skips every other field.

// Written is a field that is written and not read. Its value is known before the object is decoded.
type Written string

// Status is v1 Status, with which an API server answers a failed request.
type Status struct {
	Status  string `json:"status,omitempty"`
	Message string `json:"message,omitempty"`
}

// Meta is metadata of any object.
type Meta struct {
	Name              string            `json:"name,omitempty"`
	GenerateName      string            `json:"generateName,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	Generation        int64             `json:"generation,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       Annotations       `json:"annotations,omitzero"`
	CreationTimestamp Moment            `json:"creationTimestamp,omitzero"`
	DeletionTimestamp string            `json:"deletionTimestamp,omitempty"`
	OwnerReferences   []Owner           `json:"ownerReferences,omitempty"`
}

// Annotations are the annotations that matter here: two of a pod that name its source, and two of a claim.
// Others can be large and are not kept.
type Annotations struct {
	ConfigSource *string `json:"kubernetes.io/config.source,omitempty"`
	ConfigMirror *string `json:"kubernetes.io/config.mirror,omitempty"`
	// BindCompleted is on a claim that is bound for good.
	BindCompleted *string `json:"pv.kubernetes.io/bind-completed,omitempty"`
	// StorageClass replaces a claim's storageClassName.
	StorageClass *string `json:"volume.beta.kubernetes.io/storage-class,omitempty"`
}

// Owner is an entry of metadata.ownerReferences.
type Owner struct {
	Kind       string `json:"kind,omitempty"`
	Name       string `json:"name,omitempty"`
	Controller bool   `json:"controller,omitempty"`
}

// Quantity is an amount that is parsed while it is decoded.
type Quantity struct {
	resource.Quantity
	// Err is the error of parsing the amount, nil if there is none. The caller knows the field, and reports it.
	Err error
}

// UnmarshalJSON never returns an error; see Err.
func (q *Quantity) UnmarshalJSON(text []byte) error {
	q.Err = q.Quantity.UnmarshalJSON(text)
	return nil
}

// Amounts is a resource list.
type Amounts map[string]Quantity

// Requirements is resources of a container or a pod.
type Requirements struct {
	Requests Amounts `json:"requests,omitzero"`
	Limits   Amounts `json:"limits,omitempty"`
}

// Pod is v1 Pod.
type Pod struct {
	APIVersion Written   `json:"apiVersion,omitempty"`
	Kind       Written   `json:"kind,omitempty"`
	Metadata   Meta      `json:"metadata"`
	Spec       PodSpec   `json:"spec,omitzero"`
	Status     PodStatus `json:"status,omitzero"`
}

// PodSpec is spec of a Pod.
type PodSpec struct {
	NodeName                  string            `json:"nodeName,omitempty"`
	Priority                  *int32            `json:"priority,omitempty"`
	PriorityClassName         string            `json:"priorityClassName,omitempty"`
	PreemptionPolicy          string            `json:"preemptionPolicy,omitempty"`
	Containers                []Container       `json:"containers,omitempty"`
	InitContainers            []Container       `json:"initContainers,omitempty"`
	Resources                 *Requirements     `json:"resources,omitempty"`
	Overhead                  Amounts           `json:"overhead,omitempty"`
	NodeSelector              map[string]string `json:"nodeSelector,omitempty"`
	Affinity                  *Affinity         `json:"affinity,omitempty"`
	Tolerations               []Toleration      `json:"tolerations,omitempty"`
	TopologySpreadConstraints []Spread          `json:"topologySpreadConstraints,omitempty"`
	Volumes                   []Volume          `json:"volumes,omitempty"`
	SchedulingGroup           SchedulingGroup   `json:"schedulingGroup,omitzero"`
	HostNetwork               bool              `json:"hostNetwork,omitempty"`
	HostUsers                 *bool             `json:"hostUsers,omitempty"`
	SchedulerName             string            `json:"schedulerName,omitempty"`
	SchedulingGates           []SchedulingGate  `json:"schedulingGates,omitempty"`
	OS                        OS                `json:"os,omitzero"`
	SecurityContext           SecurityContext   `json:"securityContext,omitzero"`
	TerminationGraceSeconds   *int64            `json:"terminationGracePeriodSeconds,omitempty"`
	ResourceClaims            []ResourceClaim   `json:"resourceClaims,omitempty"`
	// RuntimeClassName is only read for a warning about a manifest.
	RuntimeClassName string `json:"runtimeClassName,omitempty"`
}

// ResourceClaim is an entry of spec.resourceClaims.
type ResourceClaim struct {
	Name string `json:"name"`
}

// SchedulingGate is an entry of spec.schedulingGates.
type SchedulingGate struct {
	Name string `json:"name"`
}

// OS is spec.os.
type OS struct {
	Name string `json:"name"`
}

// SecurityContext is spec.securityContext, and securityContext of a container.
type SecurityContext struct {
	SupplementalGroupsPolicy string `json:"supplementalGroupsPolicy,omitempty"`
	// Sysctls and AppArmor are only read for warnings.
	Sysctls  []struct{} `json:"sysctls,omitempty"`
	AppArmor *struct{}  `json:"appArmorProfile,omitempty"`
}

// PodStatus is status of a Pod.
type PodStatus struct {
	Phase                 string            `json:"phase,omitempty"`
	StartTime             string            `json:"startTime,omitempty"`
	NominatedNodeName     string            `json:"nominatedNodeName,omitempty"`
	QOSClass              string            `json:"qosClass,omitempty"`
	Conditions            []Condition       `json:"conditions,omitempty"`
	ContainerStatuses     []ContainerStatus `json:"containerStatuses,omitempty"`
	InitContainerStatuses []ContainerStatus `json:"initContainerStatuses,omitempty"`
	Resources             *Requirements     `json:"resources,omitempty"`
	AllocatedResources    Amounts           `json:"allocatedResources,omitzero"`
}

// Condition is an entry of status.conditions.
type Condition struct {
	Type   string `json:"type,omitempty"`
	Status string `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Probe is the time at which the condition was last looked at. Transition is the time at which it changed.
	Probe      Moment `json:"lastProbeTime,omitzero"`
	Transition Moment `json:"lastTransitionTime,omitzero"`
}

// NodeCondition is an entry of status.conditions of a Node. Only its times matter.
type NodeCondition struct {
	// Heartbeat is the time at which the kubelet last reported the condition. Transition is the time at which it
	// changed.
	Heartbeat  Moment `json:"lastHeartbeatTime,omitzero"`
	Transition Moment `json:"lastTransitionTime,omitzero"`
}

// Container is an entry of spec.containers or spec.initContainers.
type Container struct {
	Name          string        `json:"name,omitempty"`
	Image         string        `json:"image,omitempty"`
	Resources     Requirements  `json:"resources,omitzero"`
	Ports         []Port        `json:"ports,omitempty"`
	RestartPolicy string        `json:"restartPolicy,omitempty"`
	RestartRules  []RestartRule `json:"restartPolicyRules,omitempty"`
	VolumeMounts  []VolumeMount `json:"volumeMounts,omitempty"`
	// SecurityContext is only read for a warning.
	SecurityContext *SecurityContext `json:"securityContext,omitempty"`
}

// VolumeMount is an entry of a container's volumeMounts.
type VolumeMount struct {
	BindMountOptions []string `json:"bindMountOptions,omitempty"`
}

// RestartRule is an entry of a container's restartPolicyRules.
type RestartRule struct {
	Action string `json:"action"`
}

// ContainerStatus is an entry of status.containerStatuses.
type ContainerStatus struct {
	Name               string        `json:"name,omitempty"`
	AllocatedResources Amounts       `json:"allocatedResources,omitzero"`
	Resources          *Requirements `json:"resources,omitempty"`
}

// Port is an entry of a container's ports.
type Port struct {
	ContainerPort int32  `json:"containerPort,omitempty"`
	HostPort      int32  `json:"hostPort,omitempty"`
	HostIP        string `json:"hostIP,omitempty"`
	Protocol      string `json:"protocol,omitempty"`
}

// Affinity is spec.affinity.
type Affinity struct {
	NodeAffinity    *NodeAffinity `json:"nodeAffinity,omitempty"`
	PodAffinity     *PodAffinity  `json:"podAffinity,omitempty"`
	PodAntiAffinity *PodAffinity  `json:"podAntiAffinity,omitempty"`
}

// NodeAffinity is affinity.nodeAffinity.
type NodeAffinity struct {
	Required  *NodeSelector   `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
	Preferred []PreferredTerm `json:"preferredDuringSchedulingIgnoredDuringExecution,omitempty"`
}

// PreferredTerm is a preferred term of a node affinity.
type PreferredTerm struct {
	Weight     int32            `json:"weight"`
	Preference NodeSelectorTerm `json:"preference"`
}

// NodeSelector is a node selector.
type NodeSelector struct {
	NodeSelectorTerms []NodeSelectorTerm `json:"nodeSelectorTerms,omitempty"`
}

// NodeSelectorTerm is a term of a node selector.
type NodeSelectorTerm struct {
	MatchExpressions []Requirement `json:"matchExpressions,omitempty"`
	MatchFields      []Requirement `json:"matchFields,omitempty"`
}

// Requirement is an entry of matchExpressions or matchFields.
type Requirement struct {
	Key      string   `json:"key,omitempty"`
	Operator string   `json:"operator,omitempty"`
	Values   []string `json:"values,omitempty"`
}

// PodAffinity is affinity.podAffinity or podAntiAffinity.
type PodAffinity struct {
	Required  []PodAffinityTerm `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
	Preferred []WeightedTerm    `json:"preferredDuringSchedulingIgnoredDuringExecution,omitempty"`
}

// WeightedTerm is a preferred term of a pod affinity.
type WeightedTerm struct {
	Weight int32           `json:"weight"`
	Term   PodAffinityTerm `json:"podAffinityTerm"`
}

// PodAffinityTerm is a term of a pod affinity.
type PodAffinityTerm struct {
	LabelSelector     *LabelSelector `json:"labelSelector,omitempty"`
	Namespaces        []string       `json:"namespaces,omitempty"`
	NamespaceSelector *LabelSelector `json:"namespaceSelector,omitempty"`
	TopologyKey       string         `json:"topologyKey,omitempty"`
	MatchLabelKeys    []string       `json:"matchLabelKeys,omitempty"`
	MismatchLabelKeys []string       `json:"mismatchLabelKeys,omitempty"`
}

// LabelSelector is a label selector.
type LabelSelector struct {
	MatchLabels      map[string]string `json:"matchLabels,omitempty"`
	MatchExpressions []Requirement     `json:"matchExpressions,omitempty"`
}

// Toleration is an entry of spec.tolerations.
type Toleration struct {
	Key      string `json:"key,omitempty"`
	Operator string `json:"operator,omitempty"`
	Value    string `json:"value,omitempty"`
	Effect   string `json:"effect,omitempty"`
}

// Spread is an entry of spec.topologySpreadConstraints.
type Spread struct {
	MaxSkew            int32          `json:"maxSkew"`
	TopologyKey        string         `json:"topologyKey,omitempty"`
	WhenUnsatisfiable  string         `json:"whenUnsatisfiable,omitempty"`
	LabelSelector      *LabelSelector `json:"labelSelector,omitempty"`
	MinDomains         *int32         `json:"minDomains,omitempty"`
	NodeAffinityPolicy string         `json:"nodeAffinityPolicy,omitempty"`
	NodeTaintsPolicy   string         `json:"nodeTaintsPolicy,omitempty"`
	MatchLabelKeys     []string       `json:"matchLabelKeys,omitempty"`
}

// Node is v1 Node.
type Node struct {
	APIVersion Written `json:"apiVersion,omitempty"`
	Kind       Written `json:"kind,omitempty"`
	Metadata   Meta    `json:"metadata"`
	Spec       struct {
		Unschedulable bool    `json:"unschedulable,omitempty"`
		Taints        []Taint `json:"taints,omitempty"`
		Preemption    struct {
			DisableResize []string `json:"disableResizePreemption,omitempty"`
		} `json:"podPreemptionPolicy,omitzero"`
	} `json:"spec,omitzero"`
	Status struct {
		Allocatable      Amounts         `json:"allocatable,omitempty"`
		Conditions       []NodeCondition `json:"conditions,omitempty"`
		Images           []NodeImage     `json:"images,omitempty"`
		DeclaredFeatures []string        `json:"declaredFeatures,omitempty"`
		NodeInfo         struct {
			KubeletVersion string `json:"kubeletVersion,omitempty"`
		} `json:"nodeInfo,omitzero"`
		Features struct {
			SupplementalGroupsPolicy bool `json:"supplementalGroupsPolicy,omitempty"`
		} `json:"features,omitzero"`
	} `json:"status,omitzero"`
}

// NodeImage is an entry of status.images of a Node.
type NodeImage struct {
	Names []string `json:"names,omitempty"`
	Size  int64    `json:"sizeBytes,omitempty"`
}

// Taint is an entry of spec.taints.
type Taint struct {
	Key    string `json:"key,omitempty"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect,omitempty"`
}

// Budget is policy/v1 PodDisruptionBudget.
type Budget struct {
	APIVersion Written `json:"apiVersion,omitempty"`
	Kind       Written `json:"kind,omitempty"`
	Metadata   Meta    `json:"metadata"`
	Spec       struct {
		MinAvailable   json.RawMessage `json:"minAvailable,omitempty"`
		MaxUnavailable json.RawMessage `json:"maxUnavailable,omitempty"`
		Selector       *LabelSelector  `json:"selector,omitempty"`
		Unhealthy      string          `json:"unhealthyPodEvictionPolicy,omitempty"`
	} `json:"spec,omitzero"`
	Status struct {
		DisruptionsAllowed int32              `json:"disruptionsAllowed"`
		CurrentHealthy     int32              `json:"currentHealthy,omitempty"`
		DesiredHealthy     int32              `json:"desiredHealthy,omitempty"`
		ObservedGeneration int64              `json:"observedGeneration,omitempty"`
		DisruptedPods      map[string]*string `json:"disruptedPods,omitempty"`
	} `json:"status,omitzero"`
}

// PriorityClass is scheduling.k8s.io/v1 PriorityClass.
type PriorityClass struct {
	APIVersion       Written `json:"apiVersion,omitempty"`
	Kind             Written `json:"kind,omitempty"`
	Metadata         Meta    `json:"metadata"`
	Value            int32   `json:"value"`
	GlobalDefault    bool    `json:"globalDefault,omitempty"`
	PreemptionPolicy string  `json:"preemptionPolicy,omitempty"`
	Description      string  `json:"description,omitempty"`
}

// SchedulingGroup is spec.schedulingGroup of a Pod.
type SchedulingGroup struct {
	PodGroupName string `json:"podGroupName,omitempty"`
}

// Namespace is v1 Namespace.
type Namespace struct {
	APIVersion Written `json:"apiVersion,omitempty"`
	Kind       Written `json:"kind,omitempty"`
	Metadata   Meta    `json:"metadata"`
}
