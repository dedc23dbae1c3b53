package explain

import (
	"cmp"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// Obstacle says what keeps a pod out of a node. Filter and Reasons are the node's answer. The other fields
// name the thing in the way where it can be shown; each of them belongs to some filters.
type Obstacle struct {
	// Filter is the filter that failed. It is empty if no filter was asked about the node.
	Filter string
	// ExcludedBy is the filter that excluded the node before any filter was asked about it.
	ExcludedBy string
	// Reasons has the reasons in the filter's own words.
	Reasons []string

	// Short lists the resources of which the node has too little. The volumes that a CSI driver may attach
	// count as a resource.
	Short []Room
	// Nobody is set if no pod on the node may be evicted.
	Nobody *Nobody
	// Names lists, by filter: the only nodes that the pod's spec.nodeName (NodeName) or its node affinity
	// (NodeAffinity) allows; the CSI drivers that are not installed (NodeVolumeLimits); the features that the
	// node does not declare (NodeDeclaredFeatures); or who has forbidden preemption for a resize on the node
	// (DeferredPodScheduling).
	Names []string
	// Taints lists the taints that the pod does not tolerate. For a cordoned node it has the taint
	// node.kubernetes.io/unschedulable.
	Taints []outrank.Taint
	// Labels lists the requirements of the pod's node selector that the node does not meet. Terms lists the
	// terms of its node affinity, none of which holds, each with the requirements that are not met.
	Labels []Label
	Terms  []Term
	// Ports lists the host ports that are taken.
	Ports []Port
	// Volumes lists the volumes that keep the pod out.
	Volumes []Volume
	// Spread lists the topology spread constraints that would be violated.
	Spread []Spread
	// Neighbours lists the pod affinity and anti-affinity terms that are not met.
	Neighbours []Neighbour
	// More counts the entries that the lists above leave out.
	More int
}

// subject returns the filter that the obstacle is about.
func (o *Obstacle) subject() string { return cmp.Or(o.Filter, o.ExcludedBy) }

// attachable is the prefix of the resource names that stand for the volumes of a CSI driver.
const attachable = "attachable-volumes-csi-"

// driver returns the CSI driver whose volumes the resource stands for, or the empty string for any other resource.
func (r *Room) driver() string {
	name, ok := strings.CutPrefix(string(r.Resource), attachable)
	if !ok {
		return ""
	}
	return name
}

// cordoned reports whether the obstacle is that the node is cordoned.
func (o *Obstacle) cordoned() bool {
	return o.Filter == preemption.NodeUnschedulable && len(o.Taints) > 0
}

// Room compares what a pod asks of a node with what the node has.
type Room struct {
	// Resource is "pods" for the number of pods, and "attachable-volumes-csi-" with the name of the driver for
	// the volumes of a CSI driver.
	Resource resource.Name
	// Needed is the amount that the pod asks for.
	Needed resource.Quantity
	// Free is the amount that is not taken. It is negative if more is taken than offered.
	Free resource.Quantity
	// Short is the amount that is missing, 0 if there is enough.
	Short resource.Quantity
	// Offered is the amount that the node offers to all pods. If it is less than Needed, no eviction makes
	// room.
	Offered resource.Quantity
	// Reserved is the part of the taken amount that is kept for pods nominated to the node.
	Reserved resource.Quantity
}

// Nobody describes a node without a possible victim.
type Nobody struct {
	// Pods is the number of pods on the node, without the preemptor.
	Pods int
	// Least is the lowest priority among the pods with the preemptor's priority or a higher one. It is 0 if
	// there are none.
	Least int32
	// Protected is the number of pods of lower priority, none of which may be evicted.
	Protected int
}

// Label is a requirement on a label, or on the field metadata.name, that the node does not
// meet.
type Label struct {
	outrank.NodeRequirement
	// Have is the node's value. It is nil if the node has no such label.
	Have *string
}

// Term is a term of a node affinity that does not hold.
type Term struct {
	// Unmet lists the requirements of the term that the node does not meet. It is empty for a term without
	// requirements, which matches no node.
	Unmet []Label
	// Added is set if the scheduler's configuration adds the term for all pods.
	Added bool
}

// Port is a host port that is taken.
type Port struct {
	outrank.Port
	// Holder is the pod that has the port.
	Holder *Pod
}

// Volume is a volume that keeps the pod away.
type Volume struct {
	// Claim is the pod's claim. Disk is set instead for a disk that the pod mounts without a claim.
	Claim outrank.Key
	Disk  string
	// Holder is another pod that uses the claim or the disk, with its node.
	Holder *Pod
	// State says what is wrong with the claim. MissingVolume is the volume to which the claim is bound, if that
	// volume does not exist.
	State         outrank.ClaimState
	MissingVolume string
	// Terms says on which nodes the volume can be used: each term has the requirements that the node does not
	// meet.
	Terms []Term
	// Zone is the required zone or region of the volume, if the node is in another one.
	Zone *Label
}

// Topology describes the pods and the domain that a rule is about.
type Topology struct {
	// TopologyKey is the label whose values are the domains.
	TopologyKey string
	// Selector selects the pods, as kubectl writes a selector.
	Selector string
	// Domain is the node's value of the key. It is nil if the node has no such label.
	Domain *string
}

// Spread is a topology spread constraint that would be violated.
type Spread struct {
	Topology
	MaxSkew int32
	// With is the number of matching pods in the node's domain if the pod ran there. Least is the number in the
	// domain with the fewest. With exceeds Least by more than MaxSkew. Both are 0 if the node has no domain.
	With  int
	Least int
}

// The values of Neighbour.Side: whose term it is, and whether it is about affinity or anti-affinity.
const (
	ownAffinity        = "affinity"
	ownAntiAffinity    = "anti-affinity"
	othersAntiAffinity = "others-anti-affinity"
)

// Neighbour is a required pod affinity term that is not met.
type Neighbour struct {
	// Side says whose term it is. It is "affinity" if the preemptor has affinity to pods and none is in the
	// domain, "anti-affinity" if the preemptor has anti-affinity to a pod there, and "others-anti-affinity" if
	// a pod there has anti-affinity to the preemptor.
	Side string
	Topology
	// Pod is the other pod. It is only set for the two kinds of anti-affinity.
	Pod *Pod
}

// Pod is a reference to a pod.
type Pod struct {
	Key outrank.Key `json:"key"`
	// Priority is the priority by which the pod is compared. In releases where victims leave in groups it is the
	// priority of the pod's group.
	Priority int32 `json:"priority"`
	// Node is the node that the pod runs on or is nominated to.
	Node string `json:"node,omitempty"`
}

// orEmpty returns the value of a label, or the empty string if there is none.
func orEmpty(v *string) string {
	if v == nil {
		return ""
	}
	return *v
}
