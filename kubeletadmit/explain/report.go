package explain

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// apiVersion is that of a [Report]. A field that is added keeps it; one that is
// renamed, removed or given another meaning changes it.
const apiVersion = "outrank/v1"

// Report explains an admission. It holds names and figures and none of the
// caller's objects; it belongs to the caller, and can be written to JSON and read back.
type Report struct {
	// APIVersion is "outrank/v1" and Kind is "AdmissionReport".
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Pod asks for admission to Node.
	Pod  Pod    `json:"pod"`
	Node string `json:"node"`
	// Critical is set where others may be evicted for the pod.
	Critical bool                 `json:"critical,omitempty"`
	Outcome  kubeletadmit.Outcome `json:"outcome"`
	// Reason and Message are shown to the user of a rejected pod.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Choice is why other pods may go than the kubelet would evict: "priority-first" where the pods
	// of the lowest priority go first, "best-set" where the best set of pods goes,
	// "best-set-by-priority" for both; empty where it decides as the kubelet does. Search says how
	// good a set is that was searched for, and Kubelet what the kubelet would do; both are nil
	// otherwise.
	Choice  string   `json:"choice,omitempty"`
	Search  *Search  `json:"search,omitempty"`
	Kubelet *Kubelet `json:"kubelet,omitempty"`
	// Failures lists the findings of the check, in its order.
	Failures []Failure `json:"failures"`
	// Tiers are the three classes in the order in which they are decided on: Guaranteed,
	// Burstable, BestEffort. Empty unless pods are evicted, or not enough can be freed. With
	// priorities first they are those of each priority, the highest first, and only those of
	// which pods go, if any do.
	Tiers     []Tier `json:"tiers"`
	MoreTiers int    `json:"moreTiers,omitempty"`
	// Missing lists what would still be short if every pod that may be evicted went.
	Missing []Amount `json:"missing,omitempty"`
	// Stays counts the pods that may not be evicted, and Stay are the first of them.
	Stays int   `json:"stays,omitempty"`
	Stay  []Pod `json:"stay,omitempty"`
}

// By which options of a kubeletadmit.Config an answer was found.
const (
	priorityFirst     = "priority-first"
	bestSet           = "best-set"
	bestSetByPriority = "best-set-by-priority"
)

// Search says how good the pods are that a search chose ([kubeletadmit.Certificate]).
type Search struct {
	// Optimal: no other pods that cover the shortages are better. Without it the search ended
	// early after so many steps, and these are the best that it met.
	Optimal bool `json:"optimal"`
	Steps   int  `json:"steps"`
	// Tiers are those of which pods go or may have to, the one that is spared most first.
	Tiers []TierCount `json:"tiers"`
}

// TierCount is how many pods of a tier go, and how many have to. Priority is nil where priorities
// make no tiers.
type TierCount struct {
	Class    outrank.QOSClass `json:"class"`
	Priority *int32           `json:"priority,omitempty"`
	Chosen   int              `json:"chosen"`
	AtLeast  int              `json:"atLeast"`
}

// Kubelet compares the evictions with those of the kubelet.
type Kubelet struct {
	// Evicts is the number of pods that it would evict.
	Evicts int `json:"evicts"`
	// Spares counts those of them that stay, and Spared are the first of these.
	Spares int   `json:"spares"`
	Spared []Pod `json:"spared,omitempty"`
	// Instead are the first pods that go though it would not evict them, and MoreInstead
	// counts the others.
	Instead     []Pod `json:"instead,omitempty"`
	MoreInstead int   `json:"moreInstead,omitempty"`
}

// Pod is a reference to a pod.
type Pod struct {
	Key outrank.Key `json:"key"`
	// Priority is nil for a pod without one, which is left out of every comparison.
	Priority *int32 `json:"priority,omitempty"`
}

// Amount is an amount of a resource.
type Amount struct {
	Resource resource.Name     `json:"resource"`
	Amount   resource.Quantity `json:"amount"`
}

// Failure is a shortage, with the first five fields, or a predicate that failed, with the
// others.
type Failure struct {
	Resource resource.Name `json:"resource,omitempty"`
	// Requested is what the pod asks for, Used what the active pods hold, Capacity what the
	// node offers, and Short what has to be freed.
	Requested resource.Quantity `json:"requested,omitzero"`
	Used      resource.Quantity `json:"used,omitzero"`
	Capacity  resource.Quantity `json:"capacity,omitzero"`
	Short     resource.Quantity `json:"short,omitzero"`
	// Predicate is the check that failed and Words what it says. The fields behind name the
	// thing.
	Predicate kubeletadmit.Predicate `json:"predicate,omitempty"`
	Words     string                 `json:"words,omitempty"`
	// WantedNode is the only node that the pod's spec.nodeName allows.
	WantedNode string `json:"wantedNode,omitempty"`
	// Labels are what the pod's node selector wants and the node has not. Affinity is set
	// where none of the terms of its node affinity holds.
	Labels   []Label `json:"labels,omitempty"`
	Affinity bool    `json:"affinity,omitempty"`
	// Ports are host ports that are taken.
	Ports []Port `json:"ports,omitempty"`
	// Taints are those that the pod does not tolerate, with the tolerations that would help.
	Taints []Taint `json:"taints,omitempty"`
	// More counts the things that are left out.
	More int `json:"more,omitempty"`
}

// Label is a label that the node should carry.
type Label struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Have is the node's value; Missing where it has no such label.
	Have    string `json:"have,omitempty"`
	Missing bool   `json:"missing,omitempty"`
}

// Port is a host port with the pod that has it.
type Port struct {
	Port     int32  `json:"port"`
	Protocol string `json:"protocol"`
	IP       string `json:"ip"`
	Holder   *Pod   `json:"holder,omitempty"`
}

// Taint is a taint with the toleration that would help.
type Taint struct {
	outrank.Taint
	Toleration outrank.Toleration `json:"toleration"`
}

// Tier is the pods of one class that may be evicted.
type Tier struct {
	Class outrank.QOSClass `json:"class"`
	// Priority is nil where priorities make no tiers.
	Priority *int32 `json:"priority,omitempty"`
	// Pods is their number, and Holds what they hold together of what is short.
	Pods  int      `json:"pods"`
	Holds []Amount `json:"holds"`
	// Covers is what the tier has to cover: what is short beyond all pods of the tiers below
	// it, and beyond those that were chosen in the tiers above. Pods of a set that was
	// searched for may cover more.
	Covers []Amount `json:"covers"`
	// Rounds are the pods that were chosen, the first first.
	Rounds     []Round `json:"rounds"`
	MoreRounds int     `json:"moreRounds,omitempty"`
}

// Round is one choice: the pod with the least distance.
type Round struct {
	Pod Pod `json:"pod"`
	// Distance is the sum, over what is left to be covered, of the square of the part that
	// the pod leaves: 0 for a pod that covers all of it.
	Distance float64 `json:"distance"`
	Frees    []Frees `json:"frees"`
	// RunnerUp is the pod that would have been next, with its distance; nil for the last pod
	// of its tier, and in a set that was searched for.
	RunnerUp         *Pod    `json:"runnerUp,omitempty"`
	RunnerUpDistance float64 `json:"runnerUpDistance,omitempty"`
	// DecidedBy says why the pod was chosen before the runner-up: "distance", "memory-request",
	// "cpu-request", "place-in-list", in the order in which they count, or "search" for a pod of
	// the best set.
	DecidedBy string `json:"decidedBy,omitempty"`
}

// Frees is the part of a pod in covering one shortage.
type Frees struct {
	Resource resource.Name `json:"resource"`
	// Needed was still short before the pod, which counts with Frees, and Left after it.
	Needed resource.Quantity `json:"needed"`
	Frees  resource.Quantity `json:"frees"`
	Left   resource.Quantity `json:"left"`
}

// What decided for a pod.
const (
	byDistance = "distance"
	byMemory   = "memory-request"
	byCPU      = "cpu-request"
	byListing  = "place-in-list"
	bySearch   = "search"
)
