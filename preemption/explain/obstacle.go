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
	// Filter is the filter that failed; empty where no filter was asked about the node.
	Filter string
	// ExcludedBy is the filter that left the node out before any filter was asked about it.
	ExcludedBy string
	// Reasons are the filter's own words.
	Reasons []string

	// Short lists the resources that the node has too little of. The volumes that a CSI driver may attach
	// count as a resource.
	Short []Room
	// Nobody is set where no pod on the node may be evicted.
	Nobody *Nobody
	// Names depend on the filter. They are the only nodes that the pod's spec.nodeName (NodeName) or its node
	// affinity (NodeAffinity) allows, the CSI drivers that are not installed (NodeVolumeLimits), the features
	// that the node does not declare (NodeDeclaredFeatures), or those who asked that nobody be evicted there
	// for a resize (DeferredPodScheduling).
	Names []string
	// Taints are the taints that the pod does not tolerate. A cordoned node has the taint of cordoned nodes.
	Taints []outrank.Taint
	// Labels are the demands of the pod's node selector that the node does not meet. Terms are the terms of
	// its node affinity, none of which holds, each with the demands that are not met.
	Labels []Label
	Terms  []Term
	// Ports are host ports that are taken.
	Ports []Port
	// Volumes are the volumes in the way.
	Volumes []Volume
	// Spread are the topology spread constraints that would be broken.
	Spread []Spread
	// Neighbours are the pod affinity terms in the way.
	Neighbours []Neighbour
	// More counts the entries that the lists above leave out.
	More int
}

// subject returns the filter that the obstacle is about.
func (o *Obstacle) subject() string { return cmp.Or(o.Filter, o.ExcludedBy) }

// attachable begins the name of the resource that the volumes of a CSI driver count as.
const attachable = "attachable-volumes-csi-"

// driver returns the CSI driver whose volumes the room is for; empty for any other resource.
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
	// Resource is "pods" for places for pods, and "attachable-volumes-csi-" with the name of the driver for
	// the volumes of a CSI driver.
	Resource resource.Name
	// Needed is the amount that the pod asks for.
	Needed resource.Quantity
	// Free is the amount that is not taken. It is negative where more is taken than offered.
	Free resource.Quantity
	// Short is the amount that is missing, 0 where there is enough.
	Short resource.Quantity
	// Offered is the amount that the node offers to all pods. Where it is less than Needed, no eviction
	// makes room.
	Offered resource.Quantity
	// Reserved is the part of the taken amount that pods nominated to the node hold.
	Reserved resource.Quantity
}

// Nobody describes a node without a possible victim.
type Nobody struct {
	// Pods is the number of pods there.
	Pods int
	// Least is the lowest priority among the pods that count with the preemptor's priority or a higher one.
	Least int32
	// Protected is the number of pods that count with a lower priority than the preemptor and may not be
	// evicted.
	Protected int
}

// Label is a demand on a label, or on the field metadata.name, that the node does not
// meet.
type Label struct {
	outrank.NodeRequirement
	// Have is the node's value, nil where it has no such label.
	Have *string
}

// Term is a term of a node affinity that does not hold.
type Term struct {
	// Unmet are the demands of the term that the node does not meet. A term without demands matches no node.
	Unmet []Label
	// Added is set where the term is one that the configuration adds for all pods.
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
	// Claim is the pod's claim. Disk is the disk of a volume that the pod names without a claim.
	Claim outrank.Key
	Disk  string
	// Holder is a pod that uses the claim or the disk, with its node.
	Holder *Pod
	// State is what is wrong with the claim. MissingVolume is the volume that it is bound to and that does
	// not exist.
	State         outrank.ClaimState
	MissingVolume string
	// Terms say where the volume can be used, each with the demands that the node does not meet.
	Terms []Term
	// Zone is the demand for a zone or region of the volume that the node does not meet.
	Zone *Label
}

// Topology describes the pods and the domain that a rule is about.
type Topology struct {
	// TopologyKey is the label whose values are the domains.
	TopologyKey string
	// Selector selects the pods, as kubectl writes a selector.
	Selector string
	// Domain is the node's value of the key, nil where it has no such label.
	Domain *string
}

// Spread is a topology spread constraint that would be broken.
type Spread struct {
	Topology
	MaxSkew int32
	// With is the number of pods that would count in the node's domain if the pod were there. Least is the
	// number in the emptiest domain. With is more than MaxSkew above Least. Both are 0 where the node has no
	// domain.
	With  int
	Least int
}

// The sides of a pod affinity term: whose it is, and what it asks for.
const (
	ownAffinity        = "affinity"
	ownAntiAffinity    = "anti-affinity"
	othersAntiAffinity = "others-anti-affinity"
)

// Neighbour is a required pod affinity term that is not met.
type Neighbour struct {
	// Side says whose term it is. It is "affinity" where the preemptor wants to be near pods and none is
	// there, "anti-affinity" where it keeps away from a pod that is there, and "others-anti-affinity" where
	// a pod that is there keeps away from it.
	Side string
	Topology
	// Pod is the other pod, for both kinds of anti-affinity.
	Pod *Pod
}

// Pod is a reference to a pod.
type Pod struct {
	Key outrank.Key `json:"key"`
	// Priority is the priority that the pod counts with. In releases where victims leave in groups that is
	// the one of its group.
	Priority int32 `json:"priority"`
	// Node is the node that the pod runs on or is nominated to.
	Node string `json:"node,omitempty"`
}

// orEmpty returns the value of a label, empty where there is none.
func orEmpty(v *string) string {
	if v == nil {
		return ""
	}
	return *v
}
