package explain

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Obstacle says what keeps a pod out of a node. Filter and Reasons are the node's answer;
// the other fields name the thing, each for one filter, where it can be shown.
type Obstacle struct {
	Filter string `json:"filter,omitempty"`
	// ExcludedBy is the filter because of which the node was not asked at all.
	ExcludedBy string   `json:"excludedBy,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`

	// Short lists the resources that the node has too little of.
	Short []Room `json:"short,omitempty"`
	// Nobody is set where no pod on the node may be evicted.
	Nobody *Nobody `json:"nobody,omitempty"`
	// WantedNode is the only node that the pod's spec.nodeName allows, and WantedNodes the
	// only ones that its node affinity names.
	WantedNode  string   `json:"wantedNode,omitempty"`
	WantedNodes []string `json:"wantedNodes,omitempty"`
	// Taints are those that the pod does not tolerate; Cordoned where the node is.
	Taints   []Taint `json:"taints,omitempty"`
	Cordoned bool    `json:"cordoned,omitempty"`
	// Labels are demands of the pod's node selector that the node does not meet. Terms are
	// those of its node affinity, of which none holds: of each what is not met.
	Labels []Label `json:"labels,omitempty"`
	Terms  []Term  `json:"terms,omitempty"`
	// Ports are host ports that are taken.
	Ports []Port `json:"ports,omitempty"`
	// Volumes are the volumes in the way, and Limits the drivers that can attach no more.
	Volumes []Volume `json:"volumes,omitempty"`
	Limits  []Limit  `json:"limits,omitempty"`
	// Spread are the topology spread constraints that would be broken.
	Spread []Spread `json:"spread,omitempty"`
	// Neighbours are the pod affinity terms in the way.
	Neighbours []Neighbour `json:"neighbours,omitempty"`
	// Features lists the features that the node would have to declare.
	Features []string `json:"features,omitempty"`
	// DisabledBy are those who asked that nobody be evicted there for a resize.
	DisabledBy []string `json:"disabledBy,omitempty"`
	// More counts the things of the lists above that are left out.
	More int `json:"more,omitempty"`
}

// Room is what a pod asks of a node and what the node has of it.
type Room struct {
	Resource resource.Name `json:"resource"`
	// Needed is the amount that the pod asks for, Free the amount that is not taken, below 0 where more is taken
	// than offered, and Short what is missing, 0 where there is enough. Places for pods are the resource "pods".
	Needed resource.Quantity `json:"needed"`
	Free   resource.Quantity `json:"free"`
	Short  resource.Quantity `json:"short"`
	// Offered is the amount that the node offers to all pods. Where it is less than Needed, no eviction
	// makes room.
	Offered resource.Quantity `json:"offered"`
	// Reserved is the part of the taken amount that pods nominated to the node hold.
	Reserved resource.Quantity `json:"reserved,omitzero"`
}

// Nobody is a node without a possible victim.
type Nobody struct {
	// Pods run there; the least important of them that is no victim for its priority counts
	// with Least.
	Pods  int   `json:"pods"`
	Least int32 `json:"least"`
	// Protected is the number of those that count with a lower priority than the preemptor
	// and may not be evicted.
	Protected int `json:"protected,omitempty"`
}

// Taint is a taint with the narrowest toleration that covers it.
type Taint struct {
	outrank.Taint
	Toleration outrank.Toleration `json:"toleration"`
}

// Label is a demand on a label, or on the field metadata.name, that the node does not
// meet.
type Label struct {
	outrank.NodeRequirement
	// Have is the node's value; Missing where it has no such label.
	Have    string `json:"have,omitempty"`
	Missing bool   `json:"missing,omitempty"`
}

// Term is a term of a node affinity with the demands that the node does not meet. An empty
// one matches no node.
type Term struct {
	Unmet []Label `json:"unmet"`
	// Added is set where the term is the configuration's own for all pods.
	Added bool `json:"added,omitempty"`
}

// Port is a host port with the pod that has it.
type Port struct {
	Port     int32  `json:"port"`
	Protocol string `json:"protocol"`
	IP       string `json:"ip"`
	Holder   *Pod   `json:"holder,omitempty"`
}

// Volume is a volume that keeps the pod away.
type Volume struct {
	// Claim is the pod's claim, or Disk the disk that it names itself.
	Claim outrank.Key `json:"claim,omitempty"`
	Disk  string      `json:"disk,omitempty"`
	// Holder is a pod that has it, on the node Pod.Node.
	Holder *Pod `json:"holder,omitempty"`
	// State is what is wrong with the claim, and MissingVolume what it is bound to.
	State         outrank.ClaimState `json:"state,omitempty"`
	MissingVolume string             `json:"missingVolume,omitempty"`
	// Terms are where the volume can be used, with what the node does not meet.
	Terms []Term `json:"terms,omitempty"`
	// Label is a zone or region label of the volume, Values what nodes may have of it, and
	// Have what the node has.
	Label  string   `json:"label,omitempty"`
	Values []string `json:"values,omitempty"`
	Have   string   `json:"have,omitempty"`
}

// Limit is a driver that can attach no more volumes to the node.
type Limit struct {
	Driver string `json:"driver"`
	// Attached are there, New more would be needed, and Limit is how many there may be.
	Attached int64 `json:"attached"`
	New      int64 `json:"new"`
	Limit    int64 `json:"limit"`
	// NotInstalled is set where the driver is not on the node at all.
	NotInstalled bool `json:"notInstalled,omitempty"`
}

// Spread is a topology spread constraint that would be broken.
type Spread struct {
	TopologyKey string `json:"topologyKey"`
	Selector    string `json:"selector"`
	MaxSkew     int32  `json:"maxSkew"`
	// Missing is set where the node has no label of that key. Otherwise Domain is the
	// node's value, With the number of pods that would count there with the pod, and Least
	// the number in the emptiest domain: the difference is above MaxSkew.
	Missing bool   `json:"missing,omitempty"`
	Domain  string `json:"domain,omitempty"`
	With    int    `json:"with"`
	Least   int    `json:"least"`
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
	Side        string `json:"side"`
	TopologyKey string `json:"topologyKey"`
	Selector    string `json:"selector"`
	// Domain is the node's value of the key; Missing where it has no such label.
	Domain  string `json:"domain,omitempty"`
	Missing bool   `json:"missing,omitempty"`
	// Pod is the other pod, for anti-affinity.
	Pod *Pod `json:"pod,omitempty"`
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
