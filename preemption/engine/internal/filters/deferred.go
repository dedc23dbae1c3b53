package filters

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

var (
	otherNodeText      = []string{"pod assigned to different node"}
	resizeDisabledText = []string{"node had resize preemption disabled"}
)

// DeferredFilter is [preemption.DeferredPodScheduling]. It is asked only about a deferred resize (rule
// 7.19.3).
var DeferredFilter = descriptor{
	Entry: filter.Of(filter.DeferredPodScheduling),
	check: func(q *Question, node *outrank.Node) []string {
		switch {
		case node.Name != q.Pod.NodeName:
			return otherNodeText
		case len(node.DisableResizePreemption) > 0:
			return resizeDisabledText
		}
		return nil
	},
}
