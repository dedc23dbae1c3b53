package filters

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

var unschedulableText = []string{fit.ReasonUnschedulable}

var unschedulableFilter = descriptor{
	Name:         filter.NodeUnschedulable,
	concernsNode: func(node *outrank.Node) bool { return node.Unschedulable },
	check: func(q *Question, node *outrank.Node) []string {
		if q.tolerations.Unschedulable(node) {
			return unschedulableText
		}
		return nil
	},
	appendSignature: func(key *state.KeyWriter, pod *outrank.Pod) {
		key.Flag(fit.Unschedulable(pod, cordoned))
	},
}

// cordoned is a node whose only property is that it is unschedulable.
var cordoned = &outrank.Node{Unschedulable: true}
