package preemption

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

var (
	otherNodeText      = []string{"pod assigned to different node"}
	resizeDisabledText = []string{"node had resize preemption disabled"}
)

// deferredFilter is [DeferredPodScheduling]. It is off but for a deferred resize.
var deferredFilter = descriptor{
	name:        filter.DeferredPodScheduling,
	concernsPod: func(pod *outrank.Pod) bool { return pod.ResizeDeferred && pod.NodeName != "" },
	check: func(q *question, node *outrank.Node) []string {
		switch {
		case node.Name != q.pod.NodeName:
			return otherNodeText
		case len(node.ResizePreemptionDisabled) > 0:
			return resizeDisabledText
		}
		return nil
	},
	appendSignature: func(*state.KeyWriter, *outrank.Pod) {}, // no answer about one is kept
}
