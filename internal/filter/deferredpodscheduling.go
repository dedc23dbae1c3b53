package filter

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/draw"
)

// deferredPodSchedulingEntry is about pods that run and whose resize is deferred. A test that asks for
// one takes a pod of the cluster.
var deferredPodSchedulingEntry = Entry{
	Name: DeferredPodScheduling,
	Draw: Draw{
		Node: func(s draw.Source, n *outrank.Node) {
			if draw.OneIn(s, "no preemption for resizes", 8) {
				n.DisableResizePreemption = []string{"cluster-autoscaler"}
			}
		},
	},
}
