package preemption

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

var nodeNameText = []string{fit.ReasonNodeName}

var nodeNameFilter = descriptor{
	name:        filter.NodeName,
	concernsPod: func(pod *outrank.Pod) bool { return pod.NodeName != "" },
	check: func(q *question, node *outrank.Node) []string {
		if !fit.NodeName(q.pod, node) {
			return nodeNameText
		}
		return nil
	},
	narrow: func(q *question) (map[string]bool, bool) {
		if !q.rules.NodeNameFirst || q.pod.NodeName == "" {
			return nil, false
		}
		return map[string]bool{q.pod.NodeName: true}, true
	},
	notFiltered:     []string{"node(s) didn't satisfy plugin(s) [" + filter.NodeName + "]"},
	appendSignature: func(key *state.KeyWriter, pod *outrank.Pod) { key.Text(pod.NodeName) },
}
