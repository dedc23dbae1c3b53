package engine

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Filter is a rule of the caller about where a pod may run. It is asked after
// the built-in filters. It must return the same answers for the same input, and
// must not change anything that it is given.
//
// A filter that is no more than this is asked about every node with every pod removed and
// put back, one by one. In the benchmark of 5,000 nodes with 30 pods each a filter for GPUs
// that a tenth of the pods share takes 430 ms a decision so, 100 ms as a [SelectiveFilter],
// and 0.9 ms as a [StatefulFilter] that is attached; a decision without it takes 0.25 ms.
// A filter that looks at the node alone is a [NodeRule] or, faster still, a [NodeRuleBy].
type Filter interface {
	// Name stands in statuses. It is not empty, and differs from the name of
	// any other filter.
	Name() string
	// Start begins an attempt to place the pod. A nil state means that the
	// filter has nothing to say about this pod. An error ends the attempt.
	// Several goroutines may call Start at once.
	Start(pod *outrank.Pod, snap *Snapshot) (preemption.FilterState, error)
}

// SelectiveFilter is a [Filter] that says which pods have a part in its answers. A
// decision then calls Remove and Add for no others, and asks only about nodes that can
// still be the best. In return [preemption.Plan.Unhelpful] is empty where there are victims,
// because no status is found on the other nodes.
//
// A Start that counts the pods of the cluster then takes nearly all of the time, whether by
// [Snapshot.StateOf] or by itself: 99 parts in 100, in the benchmark that
// [Filter] has the figures of. A [StatefulFilter] that is attached does without it.
type SelectiveFilter interface {
	Filter
	// Concerns reports whether a pod that runs on a node or is nominated to one can
	// have a part in what the filter says of that node or any other. If not, every
	// answer is the same whether the pod is there or not. It always returns the same
	// for the same pod, and whichever pod looks for a place. Several goroutines may
	// call it at once.
	Concerns(pod *outrank.Pod) bool
}

// StatefulFilter is a [SelectiveFilter] whose knowledge of the cluster a snapshot can
// keep ([Snapshot.Attach]). Its Start asks [Snapshot.StateOf] for it, and returns a
// [preemption.FilterState] that looks the cluster up there and has changes of its own: what was
// removed and added since, mostly on one node. It must not change the cluster's. While a
// group of pods is placed, pods that are away are missing there, and may still be on the
// nodes of the snapshot that Start is given.
type StatefulFilter interface {
	SelectiveFilter
	// NewState returns the state of a cluster without pods.
	NewState() preemption.ClusterState
}
