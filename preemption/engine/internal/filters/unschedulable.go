package filters

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
)

var unschedulableText = []string{fit.ReasonUnschedulable}

var unschedulableFilter = descriptor{
	Entry: filter.Of(filter.NodeUnschedulable),
	check: func(q *Question, node *outrank.Node) []string {
		if q.tolerations.Unschedulable(node) {
			return unschedulableText
		}
		return nil
	},
}
