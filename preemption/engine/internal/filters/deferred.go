package filters

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

var (
	otherNodeText      = []string{"pod assigned to different node"}
	resizeDisabledText = []string{"node had resize preemption disabled"}
)

// DeferredFilter is [preemption.DeferredPodScheduling]. It is off but for a deferred resize.
var DeferredFilter = descriptor{
	Name:        filter.DeferredPodScheduling,
	concernsPod: func(pod *outrank.Pod) bool { return pod.ResizeDeferred && pod.NodeName != "" },
	check: func(q *Question, node *outrank.Node) []string {
		switch {
		case node.Name != q.Pod.NodeName:
			return otherNodeText
		case len(node.DisableResizePreemption) > 0:
			return resizeDisabledText
		}
		return nil
	},
	appendSignature: func(*state.KeyWriter, *outrank.Pod) {}, // no answer about one is kept
}
