package filters

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption"
)

var (
	nodeAffinityText  = []string{fit.ReasonNodeAffinity}
	addedAffinityText = []string{"node(s) didn't match scheduler-enforced node affinity"}
)

var nodeAffinityFilter = descriptor{
	Entry: filter.Of(filter.NodeAffinity),
	check: func(q *Question, node *outrank.Node) []string {
		if !fit.NodeAffinity(q.Pod, node) {
			return nodeAffinityText
		}
		return nil
	},
	labels: func(pod *outrank.Pod) map[string]string {
		if pod.Affinity.NodeAffinity != nil {
			return nil
		}
		return pod.NodeSelector
	},
	unlabelled: nodeAffinityText,
	enforces:   func(p *preemption.Profile) bool { return p.AddedAffinity != nil },
	enforce: func(p *preemption.Profile, node *outrank.Node) []string {
		if !enforced(p, node) {
			return addedAffinityText
		}
		return nil
	},
	narrow:      func(q *Question) (map[string]bool, bool) { return q.named, q.isNamed },
	notFiltered: []string{"node(s) didn't satisfy plugin(s) [" + filter.NodeAffinity + "]"},
	conflict:    []string{"pod affinity terms conflict"},
}
