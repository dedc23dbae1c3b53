package explain

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// Report explains an admission. It holds names and figures, and none of the
// caller's objects. It belongs to the caller, and can be written to JSON and read back.
type Report struct {
	// Pod asks for admission to Node.
	Pod  Pod
	Node string
	// Critical is set for a critical pod. For any other pod nobody is evicted.
	Critical bool
	Outcome  kubeletadmit.Outcome
	// Reason and Message are shown to the user of a rejected pod.
	Reason  string
	Message string
	// Choice names the settings that go beyond the kubelet's rules: "priority-first" if pods of
	// the lowest priority go first, "best-set" if the best set of pods goes, and
	// "best-set-by-priority" for both. It is empty if the kubelet's rules decide.
	Choice string
	// Search says how good the evicted set of pods is, with the first of its tiers. It is nil
	// if no set was searched for.
	Search *kubeletadmit.Certificate
	// Kubelet compares the evictions with the kubelet's. It is nil without a Choice or
	// evictions.
	Kubelet *Kubelet
	// Failures lists the failures that the check found, in its order.
	Failures []Failure
	// Tiers lists the three classes in the order in which their pods are chosen: Guaranteed,
	// Burstable, BestEffort. It is empty unless pods are evicted or not enough can be freed. With
	// Config.PriorityFirst it lists the classes of each priority, the highest first, and only those
	// that lose pods, if any pod is evicted.
	Tiers List[Tier]
	// Missing lists what would still be short if every pod that may be evicted were. It is empty
	// unless the pod was rejected for that.
	Missing []kubeletadmit.ResourceNeed
	// Stay lists the active pods that may not be evicted.
	Stay List[Pod]
}

// List is a list that may have been cut: its first Items, and the number of More that follow.
type List[T any] struct {
	Items []T
	More  int
}

// listOf returns a list that is cut after most items.
func listOf[T any](all []T, most int) (l List[T]) {
	l.Items = cut(all, most, &l.More)
	return l
}

// Len returns the length of the list before it was cut.
func (l List[T]) Len() int { return len(l.Items) + l.More }

// The values of Report.Choice.
const (
	priorityFirst     = "priority-first"
	bestSet           = "best-set"
	bestSetByPriority = "best-set-by-priority"
)

// Kubelet compares the evictions of an answer with the kubelet's.
type Kubelet struct {
	// Evicts is the number of pods that the kubelet would evict.
	Evicts int
	// Spared lists the pods that stay, but that the kubelet would evict. Instead lists the pods
	// that go, but that the kubelet would not evict.
	Spared, Instead List[Pod]
}

// Pod is a reference to a pod.
type Pod struct {
	Key outrank.Key
	// Priority is nil for a pod without one. The kubelet never compares such a pod by priority.
	Priority *int32
}

// Failure is one failure of the check, with what made a predicate fail.
type Failure struct {
	Check kubeletadmit.CheckFailure
	// WantedNode is the only node that the pod's spec.nodeName allows.
	WantedNode string
	// Labels are the labels that the pod's node selector wants and the node does not have.
	// Affinity is set if no term of the pod's node affinity holds.
	Labels   []Label
	Affinity bool
	// Ports are the pod's host ports that are taken.
	Ports []Port
	// Taints are the taints with the effect NoExecute that the pod does not tolerate.
	Taints []outrank.Taint
	// More is the number of labels, ports and taints that the lists above leave out.
	More int
}

// Label is a label that the node should carry.
type Label struct {
	Key   string
	Value string
	// Have is the node's value, nil if it has no such label.
	Have *string
}

// Port is a host port with the pod that holds it.
type Port struct {
	outrank.Port
	Holder *Pod
}

// Tier describes the pods of one class, or of one priority and class, that may be evicted.
type Tier struct {
	Class outrank.QOSClass
	// Priority is the priority of the tier's pods. It is nil without Config.PriorityFirst.
	Priority *int32
	// Pods is the number of pods in the tier. Holds is what they hold together of each
	// resource that is short.
	Pods  int
	Holds []kubeletadmit.ResourceNeed
	// Covers is what the tier has to cover: the shortages less what all pods of the tiers
	// behind it in the report hold, and less what the chosen pods of the tiers before it free.
	// With Config.Exact the chosen pods of the tier may cover more.
	Covers []kubeletadmit.ResourceNeed
	// Rounds lists the chosen pods of the tier, in the order of the choice.
	Rounds List[Round]
}

// Round is one choice: the pod with the least distance.
type Round struct {
	Pod Pod
	// Distance is the sum, over the amounts that are left to cover, of the square of the part
	// that the pod leaves. It is 0 for a pod that covers all of them.
	Distance float64
	// Frees says how far the pod covers each shortage.
	Frees []kubeletadmit.Contribution
	// RunnerUp is the pod that would have been chosen in place of Pod if Pod were not there,
	// with its distance. It is nil for the last pod of a tier, and with Config.Exact.
	RunnerUp         *Pod
	RunnerUpDistance float64
	// DecidedBy says why the pod was chosen before the runner-up: "distance", "memory-request",
	// "cpu-request" or "place-in-list", in the order in which they count. It is "search" for a
	// pod of the best set.
	DecidedBy string
}

// The values of Round.DecidedBy.
const (
	byDistance = "distance"
	byMemory   = "memory-request"
	byCPU      = "cpu-request"
	byListing  = "place-in-list"
	bySearch   = "search"
)
