package filter

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// deferredPodSchedulingEntry has a signature that writes nothing, because answers about a running pod whose
// resize is deferred are never kept. It draws no such pods, since they run already: a test that needs one takes
// a pod of the cluster.
var deferredPodSchedulingEntry = Entry{
	Name:      DeferredPodScheduling,
	Reads:     Reads{Pod: func(pod *outrank.Pod) bool { return pod.ResizeDeferred && pod.NodeName != "" }},
	Fails:     IncurableFailure,
	Signature: func(Writer, *outrank.Pod) {},
	Names:     NamesOf{Member: "disabledBy", Text: "%s asked that nobody be evicted there for a resize"},
	Helped:    []string{EventNodeAdded, EventNodeUpdated},
	LooksAt:   func(*outrank.Pod) []any { return nil },
	Draw: Draw{
		Node: func(s draw.Source, n *outrank.Node) {
			if draw.OneIn(s, "no preemption for resizes", 8) {
				n.DisableResizePreemption = []string{"cluster-autoscaler"}
			}
		},
	},
}
