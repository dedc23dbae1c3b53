package manifest

import (
	"encoding/json"

	"github.com/outrank-go/outrank/resource"
)

// The types below are the parts of Kubernetes objects that matter here, as
// they stand in JSON. Every other field is passed over.

// Meta is metadata.
type Meta struct {
	Name              string            `json:"name"`
	Namespace         string            `json:"namespace"`
	UID               string            `json:"uid"`
	Labels            map[string]string `json:"labels"`
	Annotations       Annotations       `json:"annotations"`
	DeletionTimestamp string            `json:"deletionTimestamp"`
	OwnerReferences   []Owner           `json:"ownerReferences"`
}

// Annotations are the two that say where a pod comes from; others can be
// large and are not kept.
type Annotations struct {
	ConfigSource *string `json:"kubernetes.io/config.source"`
	ConfigMirror *string `json:"kubernetes.io/config.mirror"`
}

// Owner is an entry of metadata.ownerReferences.
type Owner struct {
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Controller bool   `json:"controller"`
}

// Quantity is an amount, read at once; what was wrong with it is kept for the
// one who knows where it stands.
type Quantity struct {
	resource.Quantity
	Err error
}

// UnmarshalJSON never fails; see Err.
func (q *Quantity) UnmarshalJSON(text []byte) error {
	q.Err = q.Quantity.UnmarshalJSON(text)
	return nil
}

// Amounts is a resource list.
type Amounts map[string]Quantity

// Requirements is resources.
type Requirements struct {
	Requests Amounts `json:"requests"`
	Limits   Amounts `json:"limits"`
}

// Pod is v1 Pod.
type Pod struct {
	Metadata Meta      `json:"metadata"`
	Spec     PodSpec   `json:"spec"`
	Status   PodStatus `json:"status"`
}

// PodSpec is spec of a Pod.
type PodSpec struct {
	NodeName                  string            `json:"nodeName"`
	Priority                  *int32            `json:"priority"`
	PriorityClassName         string            `json:"priorityClassName"`
	PreemptionPolicy          string            `json:"preemptionPolicy"`
	Containers                []Container       `json:"containers"`
	InitContainers            []Container       `json:"initContainers"`
	Resources                 *Requirements     `json:"resources"`
	Overhead                  Amounts           `json:"overhead"`
	NodeSelector              map[string]string `json:"nodeSelector"`
	Affinity                  *Affinity         `json:"affinity"`
	Tolerations               []Toleration      `json:"tolerations"`
	TopologySpreadConstraints []Spread          `json:"topologySpreadConstraints"`
	Volumes                   []Volume          `json:"volumes"`
	SchedulingGroup           SchedulingGroup   `json:"schedulingGroup"`
	HostNetwork               bool              `json:"hostNetwork"`
	HostUsers                 *bool             `json:"hostUsers"`
}

// PodStatus is status of a Pod.
type PodStatus struct {
	Phase                 string            `json:"phase"`
	StartTime             string            `json:"startTime"`
	NominatedNodeName     string            `json:"nominatedNodeName"`
	QOSClass              string            `json:"qosClass"`
	Conditions            []Condition       `json:"conditions"`
	ContainerStatuses     []ContainerStatus `json:"containerStatuses"`
	InitContainerStatuses []ContainerStatus `json:"initContainerStatuses"`
}

// Condition is an entry of status.conditions.
type Condition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
	Reason string `json:"reason"`
}

// Container is an entry of spec.containers or spec.initContainers.
type Container struct {
	Name          string       `json:"name"`
	Resources     Requirements `json:"resources"`
	Ports         []Port       `json:"ports"`
	RestartPolicy string       `json:"restartPolicy"`
	RestartRules  []struct {
		Action string `json:"action"`
	} `json:"restartPolicyRules"`
}

// ContainerStatus is an entry of status.containerStatuses.
type ContainerStatus struct {
	Name               string        `json:"name"`
	AllocatedResources Amounts       `json:"allocatedResources"`
	Resources          *Requirements `json:"resources"`
}

// Port is an entry of a container's ports.
type Port struct {
	HostPort int32  `json:"hostPort"`
	HostIP   string `json:"hostIP"`
	Protocol string `json:"protocol"`
}

// Affinity is spec.affinity.
type Affinity struct {
	NodeAffinity    *NodeAffinity `json:"nodeAffinity"`
	PodAffinity     *PodAffinity  `json:"podAffinity"`
	PodAntiAffinity *PodAffinity  `json:"podAntiAffinity"`
}

// NodeAffinity is affinity.nodeAffinity.
type NodeAffinity struct {
	Required *NodeSelector `json:"requiredDuringSchedulingIgnoredDuringExecution"`
}

// NodeSelector is a node selector.
type NodeSelector struct {
	NodeSelectorTerms []NodeSelectorTerm `json:"nodeSelectorTerms"`
}

// NodeSelectorTerm is one of its terms.
type NodeSelectorTerm struct {
	MatchExpressions []Requirement `json:"matchExpressions"`
	MatchFields      []Requirement `json:"matchFields"`
}

// Requirement is an entry of matchExpressions or matchFields.
type Requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

// PodAffinity is affinity.podAffinity or podAntiAffinity.
type PodAffinity struct {
	Required []PodAffinityTerm `json:"requiredDuringSchedulingIgnoredDuringExecution"`
}

// PodAffinityTerm is one of its terms.
type PodAffinityTerm struct {
	LabelSelector     *LabelSelector `json:"labelSelector"`
	Namespaces        []string       `json:"namespaces"`
	NamespaceSelector *LabelSelector `json:"namespaceSelector"`
	TopologyKey       string         `json:"topologyKey"`
	MatchLabelKeys    []string       `json:"matchLabelKeys"`
	MismatchLabelKeys []string       `json:"mismatchLabelKeys"`
}

// LabelSelector is a label selector.
type LabelSelector struct {
	MatchLabels      map[string]string `json:"matchLabels"`
	MatchExpressions []Requirement     `json:"matchExpressions"`
}

// Toleration is an entry of spec.tolerations.
type Toleration struct {
	Key      string `json:"key"`
	Operator string `json:"operator"`
	Value    string `json:"value"`
	Effect   string `json:"effect"`
}

// Spread is an entry of spec.topologySpreadConstraints.
type Spread struct {
	MaxSkew            int32          `json:"maxSkew"`
	TopologyKey        string         `json:"topologyKey"`
	WhenUnsatisfiable  string         `json:"whenUnsatisfiable"`
	LabelSelector      *LabelSelector `json:"labelSelector"`
	MinDomains         *int32         `json:"minDomains"`
	NodeAffinityPolicy string         `json:"nodeAffinityPolicy"`
	NodeTaintsPolicy   string         `json:"nodeTaintsPolicy"`
	MatchLabelKeys     []string       `json:"matchLabelKeys"`
}

// Node is v1 Node.
type Node struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		Unschedulable bool    `json:"unschedulable"`
		Taints        []Taint `json:"taints"`
	} `json:"spec"`
	Status struct {
		Allocatable      Amounts  `json:"allocatable"`
		DeclaredFeatures []string `json:"declaredFeatures"`
	} `json:"status"`
}

// Taint is an entry of spec.taints.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Effect string `json:"effect"`
}

// Budget is policy/v1 PodDisruptionBudget.
type Budget struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		MinAvailable   json.RawMessage `json:"minAvailable"`
		MaxUnavailable json.RawMessage `json:"maxUnavailable"`
		Selector       *LabelSelector  `json:"selector"`
	} `json:"spec"`
	Status struct {
		DisruptionsAllowed int32             `json:"disruptionsAllowed"`
		DisruptedPods      map[string]string `json:"disruptedPods"`
	} `json:"status"`
}

// PriorityClass is scheduling.k8s.io/v1 PriorityClass.
type PriorityClass struct {
	Metadata         Meta   `json:"metadata"`
	Value            int32  `json:"value"`
	GlobalDefault    bool   `json:"globalDefault"`
	PreemptionPolicy string `json:"preemptionPolicy"`
	Description      string `json:"description"`
}

// SchedulingGroup is spec.schedulingGroup of a Pod.
type SchedulingGroup struct {
	PodGroupName string `json:"podGroupName"`
}

// PodGroup is scheduling.k8s.io PodGroup. Other projects have kinds of this
// name; APIVersion tells them apart.
type PodGroup struct {
	APIVersion string `json:"apiVersion"`
	Metadata   Meta   `json:"metadata"`
	Spec       struct {
		DisruptionMode json.RawMessage `json:"disruptionMode"`
		Priority       *int32          `json:"priority"`
	} `json:"spec"`
}

// Namespace is v1 Namespace.
type Namespace struct {
	Metadata Meta `json:"metadata"`
}
