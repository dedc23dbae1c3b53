package filters

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

var taintText = []string{fit.ReasonTaint}

var taintFilter = descriptor{
	Name: filter.TaintToleration,
	concernsNode: func(node *outrank.Node) bool {
		return slices.ContainsFunc(node.Taints, func(t outrank.Taint) bool {
			return t.Effect == outrank.NoSchedule || t.Effect == outrank.NoExecute
		})
	},
	check: func(q *Question, node *outrank.Node) []string {
		if untolerated(&q.tolerations, node) {
			return taintText
		}
		return nil
	},
	appendSignature: appendTolerations,
}

// appendTolerations appends the tolerations of a pod.
func appendTolerations(key *state.KeyWriter, pod *outrank.Pod) {
	key.Number(len(pod.Tolerations))
	for i := range pod.Tolerations {
		t := &pod.Tolerations[i]
		key.Text(t.Key)
		key.Text(string(t.Operator))
		key.Text(t.Value)
		key.Text(string(t.Effect))
	}
}

// untolerated reports whether the node has a taint that keeps the pod away.
func untolerated(by *fit.Tolerations, node *outrank.Node) bool {
	_, found := by.Untolerated(node, outrank.NoSchedule, outrank.NoExecute)
	return found
}
