package explain

import (
	"cmp"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// Obstacle says what keeps a pod out of a node. Filter and Reasons are the node's answer;
// the other fields name the thing, each for one filter, where it can be shown.
type Obstacle struct {
	Filter string
	// ExcludedBy is the filter because of which the node was not asked at all.
	ExcludedBy string
	Reasons    []string

	// Short lists the resources that the node has too little of, the volumes that CSI drivers may attach
	// among them.
	Short []Room
	// Nobody is set where no pod on the node may be evicted.
	Nobody *Nobody
	// Names are, by the filter: the only nodes that the pod's spec.nodeName (NodeName) or its node affinity
	// names, the CSI drivers that are not installed (NodeVolumeLimits), the features that the node would have
	// to declare (NodeDeclaredFeatures), those who asked that nobody be evicted there for a resize
	// (DeferredPodScheduling).
	Names []string
	// Taints are those that the pod does not tolerate; that of a cordoned node where it is one.
	Taints []outrank.Taint
	// Labels are demands of the pod's node selector that the node does not meet. Terms are
	// those of its node affinity, of which none holds: of each what is not met.
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
	// More counts the things of the lists above that are left out.
	More int
}

// by is the filter that the obstacle is about.
func (o *Obstacle) by() string { return cmp.Or(o.Filter, o.ExcludedBy) }

// attachable begins the resource of the volumes that a CSI driver may attach.
const attachable = "attachable-volumes-csi-"

// driver is the CSI driver whose volumes are meant; empty for any other resource.
func (r *Room) driver() string {
	name, ok := strings.CutPrefix(string(r.Resource), attachable)
	if !ok {
		return ""
	}
	return name
}

// cordoned reports whether the node is cordoned.
func (o *Obstacle) cordoned() bool {
	return o.Filter == preemption.NodeUnschedulable && len(o.Taints) > 0
}

// Room is what a pod asks of a node and what the node has of it.
type Room struct {
	Resource resource.Name
	// Needed is the amount that the pod asks for, Free the amount that is not taken, below 0 where more is taken
	// than offered, and Short what is missing, 0 where there is enough. Places for pods are the resource "pods", and
	// the volumes of a CSI driver "attachable-volumes-csi-" with its name.
	Needed resource.Quantity
	Free   resource.Quantity
	Short  resource.Quantity
	// Offered is the amount that the node offers to all pods. Where it is less than Needed, no eviction
	// makes room.
	Offered resource.Quantity
	// Reserved is the part of the taken amount that pods nominated to the node hold.
	Reserved resource.Quantity
}

// Nobody is a node without a possible victim.
type Nobody struct {
	// Pods run there; the least important of them that is no victim for its priority counts
	// with Least.
	Pods  int
	Least int32
	// Protected is the number of those that count with a lower priority than the preemptor
	// and may not be evicted.
	Protected int
}

// Label is a demand on a label, or on the field metadata.name, that the node does not
// meet.
type Label struct {
	outrank.NodeRequirement
	// Have is the node's value, nil where it has no such label.
	Have *string
}

// Term is a term of a node affinity with the demands that the node does not meet. An empty
// one matches no node.
type Term struct {
	Unmet []Label
	// Added is set where the term is the configuration's own for all pods.
	Added bool
}

// Port is a host port with the pod that has it.
type Port struct {
	outrank.Port
	Holder *Pod
}

// Volume is a volume that keeps the pod away.
type Volume struct {
	// Claim is the pod's claim, or Disk the disk that it names itself.
	Claim outrank.Key
	Disk  string
	// Holder is a pod that has it, on the node Pod.Node.
	Holder *Pod
	// State is what is wrong with the claim, and MissingVolume what it is bound to.
	State         outrank.ClaimState
	MissingVolume string
	// Terms are where the volume can be used, with what the node does not meet.
	Terms []Term
	// Zone is the zone or region that the volume is in, and the node is not.
	Zone *Label
}

// Topology is the pods that a rule is about, and where it holds of them.
type Topology struct {
	// TopologyKey is the label whose values are the domains, and Selector the pods, as kubectl writes a selector.
	TopologyKey string
	Selector    string
	// Domain is the node's value of the key, nil where it has no such label.
	Domain *string
}

// Spread is a topology spread constraint that would be broken.
type Spread struct {
	Topology
	MaxSkew int32
	// Where the node has a domain With is the number of pods that would count there with the pod, and Least the
	// number in the emptiest domain: the difference is above MaxSkew.
	With  int
	Least int
}

// Whose pod affinity term is in the way.
const (
	ownAffinity        = "affinity"
	ownAntiAffinity    = "anti-affinity"
	othersAntiAffinity = "others-anti-affinity"
)

// Neighbour is a required pod affinity term that is not met.
type Neighbour struct {
	// Side says whose term it is: "affinity" where no pod is there that the preemptor wants to be
	// near, "anti-affinity" where a pod is there that it keeps away from, "others-anti-affinity"
	// where one is there that keeps away from it.
	Side string
	Topology
	// Pod is the other pod, for anti-affinity.
	Pod *Pod
}

// Pod is a reference to a pod.
type Pod struct {
	Key outrank.Key `json:"key"`
	// Priority is the one that the pod counts with: that of its groups where the release
	// has victims in groups.
	Priority int32 `json:"priority"`
	// Node is where it runs, or the node that it is nominated to.
	Node string `json:"node,omitempty"`
}

// orEmpty is a value of a label, empty where there is none.
func orEmpty(v *string) string {
	if v == nil {
		return ""
	}
	return *v
}
