package filters

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
)

var taintText = []string{fit.ReasonTaint}

var taintFilter = descriptor{
	Entry: filter.Of(filter.TaintToleration),
	check: func(q *Question, node *outrank.Node) []string {
		if untolerated(&q.tolerations, node) {
			return taintText
		}
		return nil
	},
}

// untolerated reports whether the node has a taint with effect NoSchedule or NoExecute that is not tolerated.
func untolerated(by *fit.Tolerations, node *outrank.Node) bool {
	_, found := by.Untolerated(node, outrank.NoSchedule, outrank.NoExecute)
	return found
}
