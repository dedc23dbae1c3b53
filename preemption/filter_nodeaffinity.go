package preemption

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
)

var (
	nodeAffinityText  = []string{fit.ReasonNodeAffinity}
	addedAffinityText = []string{"node(s) didn't match scheduler-enforced node affinity"}
)

var nodeAffinityFilter = descriptor{
	name: filter.NodeAffinity,
	concernsPod: func(pod *outrank.Pod) bool {
		return len(pod.NodeSelector) > 0 || pod.Affinity.Node != nil
	},
	check: func(q *question, node *outrank.Node) []string {
		if !fit.NodeAffinity(q.pod, node) {
			return nodeAffinityText
		}
		return nil
	},
	enforces: func(p *Plugins) bool { return p.AddedAffinity != nil },
	enforce: func(p *Plugins, node *outrank.Node) []string {
		if !p.enforced(node) {
			return addedAffinityText
		}
		return nil
	},
	appendSignature: appendNodeAffinity,
	narrow:          func(q *question) (map[string]bool, bool) { return fit.NamedNodes(q.pod) },
	notFiltered:     []string{"node(s) didn't satisfy plugin(s) [" + filter.NodeAffinity + "]"},
	conflict:        []string{"pod affinity terms conflict"},
}

// appendNodeAffinity appends the labels and names of nodes that a pod asks for.
func appendNodeAffinity(key *keyWriter, pod *outrank.Pod) {
	key.labels(pod.NodeSelector)
	key.nodeSelector(pod.Affinity.Node)
}

// nodeSelector appends a node selector, which may be nil.
func (b *keyWriter) nodeSelector(s *outrank.NodeSelector) {
	b.flag(s != nil)
	if s == nil {
		return
	}
	b.number(len(s.Terms))
	for i := range s.Terms {
		b.requirements(s.Terms[i].Labels)
		b.requirements(s.Terms[i].Fields)
	}
}

func (b *keyWriter) requirements(rs []outrank.NodeRequirement) {
	b.number(len(rs))
	for i := range rs {
		b.text(rs[i].Key)
		b.text(string(rs[i].Operator))
		b.texts(rs[i].Values)
	}
}
