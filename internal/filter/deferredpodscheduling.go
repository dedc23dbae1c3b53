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
	Helped: Hints{
		EventNodeAdded:   comes(letsResize),
		EventNodeUpdated: becomes(letsResize),
		EventPodUpdated:  never,
	},
	Draw: Draw{
		Node: func(s draw.Source, n *outrank.Node) {
			if draw.OneIn(s, "no preemption for resizes", 8) {
				n.DisableResizePreemption = []string{"cluster-autoscaler"}
			}
		},
	},
}

// letsResize reports whether a node is the one on which the pod waits for its resize, and allows preemption for
// that.
func letsResize(w *Waiting, n *outrank.Node) bool {
	return w.Resizes() && n.Name == w.Pod.NodeName && len(n.DisableResizePreemption) == 0
}
