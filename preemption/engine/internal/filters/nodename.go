package filters

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
)

var nodeNameText = []string{fit.ReasonNodeName}

var nodeNameFilter = descriptor{
	Entry: filter.Of(filter.NodeName),
	check: func(q *Question, node *outrank.Node) []string {
		if !fit.NodeName(q.Pod, node) {
			return nodeNameText
		}
		return nil
	},
	narrow: func(q *Question) (map[string]bool, bool) {
		if !q.Rules.NodeNameFirst || q.Pod.NodeName == "" {
			return nil, false
		}
		return map[string]bool{q.Pod.NodeName: true}, true
	},
	notFiltered: []string{"node(s) didn't satisfy plugin(s) [" + filter.NodeName + "]"},
}
