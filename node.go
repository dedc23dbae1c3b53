package outrank

import "github.com/outrank-go/outrank/resource"

// Node is one machine: what it offers and which pods it lets in.
type Node struct {
	Name   string
	Labels map[string]string
	// Allocatable is what pods may use of the node. Its "pods" is the largest number
	// of pods on the node: a node that does not list it takes none.
	Allocatable resource.List
	Taints      []Taint
	// AttachLimits maps each driver to the number of its volumes that the node
	// can attach; a driver that is not listed has no limit.
	AttachLimits map[string]int64
	// MissingDrivers are the drivers that the node's CSINode lacks and whose
	// CSIDriver says preventPodSchedulingIfMissing: no volume of theirs can be on
	// the node. kube.ReadCluster sorts them, and nodes that lack the same drivers share
	// a list. They count from v1.37 on (rule 7.9.9).
	MissingDrivers []string
	// Unschedulable is set on a cordoned node.
	Unschedulable bool
	// StrictGroups is set if the node supports the supplementalGroupsPolicy
	// Strict (status.features.supplementalGroupsPolicy).
	StrictGroups bool
	// Images are the container images on the node (status.images). Only scores look at
	// them.
	Images []NodeImage
	// DeclaredFeatures are the features that the node says it has
	// (status.declaredFeatures).
	DeclaredFeatures []string
	// KubeletVersion is the version of the node's kubelet
	// (status.nodeInfo.kubeletVersion), such as "v1.37.1". No decision looks at
	// it; see Cluster.ReleaseOfNodes.
	KubeletVersion string
	// DisableResizePreemption lists who has switched off, on this node, preemption for the
	// sake of a resize in place (spec.podPreemptionPolicy.disableResizePreemption). It is
	// empty if nobody has.
	DisableResizePreemption []string

	// Value is the caller's own: a pointer to its record of the node, say, for its
	// filters and scores to look at. It stays with every copy of the node. Nothing in this
	// module looks at it, compares it or writes it to JSON. What a filter reads there may
	// change only together with the node, by an update.
	Value any
}

// Taint keeps pods away that do not tolerate it.
type Taint struct {
	Key    string      `json:"key"`
	Value  string      `json:"value,omitempty"`
	Effect TaintEffect `json:"effect"`
}

// Toleration returns the narrowest toleration that covers the taint.
func (t Taint) Toleration() Toleration {
	if t.Value == "" {
		return Toleration{Key: t.Key, Operator: TolerationExists, Effect: t.Effect}
	}
	return Toleration{Key: t.Key, Operator: TolerationEqual, Value: t.Value, Effect: t.Effect}
}

// TaintEffect is what a taint does to pods that do not tolerate it.
type TaintEffect string

// The effects. Preemption does not look at PreferNoSchedule; scores do.
const (
	NoSchedule       TaintEffect = "NoSchedule"
	PreferNoSchedule TaintEffect = "PreferNoSchedule"
	NoExecute        TaintEffect = "NoExecute"
)

// UnschedulableTaint is the key of the taint that a pod must tolerate to get onto a cordoned
// node.
const UnschedulableTaint = "node.kubernetes.io/unschedulable"

// Toleration lets a pod onto nodes in spite of a taint.
type Toleration struct {
	// Key is the taint's key. An empty key together with TolerationExists means every
	// taint.
	Key string `json:"key,omitempty"`
	// Operator is TolerationEqual if empty.
	Operator TolerationOperator `json:"operator,omitempty"`
	Value    string             `json:"value,omitempty"`
	// Effect is the effect that is tolerated; empty means all effects.
	Effect TaintEffect `json:"effect,omitempty"`
}

// TolerationOperator says how a toleration is compared with a taint.
type TolerationOperator string

// The operators. An API server may also let Lt and Gt in, which tolerate nothing (rule
// 26.1.2).
const (
	TolerationEqual  TolerationOperator = "Equal"
	TolerationExists TolerationOperator = "Exists"
)

// Tolerates reports whether the toleration covers the taint (rules 7.4.3 to
// 7.4.5; core v1 ToleratesTaint, except that an empty key with any operator but
// Exists covers nothing).
func (t Toleration) Tolerates(taint Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect {
		return false
	}
	switch t.Operator {
	case TolerationExists:
		return t.Key == "" || t.Key == taint.Key
	case TolerationEqual, "":
		return t.Key != "" && t.Key == taint.Key && t.Value == taint.Value
	}
	return false
}

// Namespace is a namespace with its labels, by which pod affinity terms select it.
type Namespace struct {
	Name   string
	Labels map[string]string
}
