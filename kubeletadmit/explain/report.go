package explain

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// Report explains an admission. It holds names and figures and none of the
// caller's objects; it belongs to the caller, and can be written to JSON and read back.
type Report struct {
	// Pod asks for admission to Node.
	Pod  Pod
	Node string
	// Critical is set where others may be evicted for the pod.
	Critical bool
	Outcome  kubeletadmit.Outcome
	// Reason and Message are shown to the user of a rejected pod.
	Reason  string
	Message string
	// Choice is why other pods may go than the kubelet would evict: "priority-first" where the pods
	// of the lowest priority go first, "best-set" where the best set of pods goes,
	// "best-set-by-priority" for both; empty where it decides as the kubelet does. Search says how
	// good a set is that was searched for, with the first of its tiers, and Kubelet what the kubelet would do; both are nil
	// otherwise.
	Choice  string
	Search  *kubeletadmit.Certificate
	Kubelet *Kubelet
	// Failures lists the findings of the check, in its order.
	Failures []Failure
	// Tiers are the three classes in the order in which they are decided on: Guaranteed,
	// Burstable, BestEffort. Empty unless pods are evicted, or not enough can be freed. With
	// priorities first they are those of each priority, the highest first, and only those of
	// which pods go, if any do.
	Tiers List[Tier]
	// Missing lists what would still be short if every pod that may be evicted went.
	Missing []kubeletadmit.ResourceNeed
	// Stay are the pods that may not be evicted.
	Stay List[Pod]
}

// List is a list that is cut: the first of its Items, and how many More there are.
type List[T any] struct {
	Items []T
	More  int
}

// listOf cuts a list.
func listOf[T any](all []T, most int) (l List[T]) {
	l.Items = cut(all, most, &l.More)
	return l
}

// Len is the length of the list before it was cut.
func (l List[T]) Len() int { return len(l.Items) + l.More }

// By which options of a kubeletadmit.Config an answer was found.
const (
	priorityFirst     = "priority-first"
	bestSet           = "best-set"
	bestSetByPriority = "best-set-by-priority"
)

// Kubelet compares the evictions with those of the kubelet.
type Kubelet struct {
	// Evicts is the number of pods that it would evict.
	Evicts int
	// Spared are those of them that stay, and Instead the pods that go though it would not evict them.
	Spared, Instead List[Pod]
}

// Pod is a reference to a pod.
type Pod struct {
	Key outrank.Key
	// Priority is nil for a pod without one, which is left out of every comparison.
	Priority *int32
}

// Failure is what the check found, with what stands behind a predicate that failed.
type Failure struct {
	Check kubeletadmit.CheckFailure
	// WantedNode is the only node that the pod's spec.nodeName allows.
	WantedNode string
	// Labels are what the pod's node selector wants and the node has not. Affinity is set
	// where none of the terms of its node affinity holds.
	Labels   []Label
	Affinity bool
	// Ports are host ports that are taken.
	Ports []Port
	// Taints are those that the pod does not tolerate.
	Taints []outrank.Taint
	// More counts the things that are left out.
	More int
}

// Label is a label that the node should carry.
type Label struct {
	Key   string
	Value string
	// Have is the node's value, nil where it has no such label.
	Have *string
}

// Port is a host port with the pod that has it.
type Port struct {
	outrank.Port
	Holder *Pod
}

// Tier is the pods of one class that may be evicted.
type Tier struct {
	Class outrank.QOSClass
	// Priority is nil where priorities make no tiers.
	Priority *int32
	// Pods is their number, and Holds what they hold together of what is short.
	Pods  int
	Holds []kubeletadmit.ResourceNeed
	// Covers is what the tier has to cover: what is short beyond all pods of the tiers below
	// it, and beyond those that were chosen in the tiers above. Pods of a set that was
	// searched for may cover more.
	Covers []kubeletadmit.ResourceNeed
	// Rounds are the pods that were chosen, the first first.
	Rounds List[Round]
}

// Round is one choice: the pod with the least distance.
type Round struct {
	Pod Pod
	// Distance is the sum, over what is left to be covered, of the square of the part that
	// the pod leaves: 0 for a pod that covers all of it.
	Distance float64
	// Frees are the parts of the pod in covering each shortage.
	Frees []kubeletadmit.Contribution
	// RunnerUp is the pod that would have been next, with its distance; nil for the last pod
	// of its tier, and in a set that was searched for.
	RunnerUp         *Pod
	RunnerUpDistance float64
	// DecidedBy says why the pod was chosen before the runner-up: "distance", "memory-request",
	// "cpu-request", "place-in-list", in the order in which they count, or "search" for a pod of
	// the best set.
	DecidedBy string
}

// What decided for a pod.
const (
	byDistance = "distance"
	byMemory   = "memory-request"
	byCPU      = "cpu-request"
	byListing  = "place-in-list"
	bySearch   = "search"
)
