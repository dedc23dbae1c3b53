package filter

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var nodeAffinityEntry = Entry{
	Name:  NodeAffinity,
	Reads: Reads{Pod: func(pod *outrank.Pod) bool { return len(pod.NodeSelector) > 0 || pod.Affinity.NodeAffinity != nil }},
	Fails: IncurableFailure,
	Signature: func(w Writer, pod *outrank.Pod) {
		w.Labels(pod.NodeSelector)
		w.NodeSelector(pod.Affinity.NodeAffinity)
	},
	Names:   NamesOf{Member: "wantedNodes", Text: "the pod's node affinity names %s alone"},
	Helped:  []string{EventNodeAdded, EventNodeUpdated},
	LooksAt: nodeDemands,
	Draw:    Draw{Topic: Selectors, Asking: drawNodeAffinity},
}

func drawNodeAffinity(s draw.Source, nodes draw.Nodes, p *outrank.Pod) {
	if draw.OneIn(s, "node selector", 10) {
		p.NodeSelector = map[string]string{draw.DiskKey: "ssd"}
	}
	if draw.OneIn(s, "node affinity", 6) {
		p.Affinity.NodeAffinity = drawNodeSelector(s, nodes, 1, 3)
	}
}

// drawNodeSelector draws a selector with least to most terms.
func drawNodeSelector(s draw.Source, nodes draw.Nodes, least, most int) *outrank.NodeSelector {
	term := func(s draw.Source) outrank.NodeSelectorTerm { return draw.NodeTerm(s, nodes) }
	return &outrank.NodeSelector{NodeSelectorTerms: draw.List(s, "node terms", draw.Between(least, most), term)}
}

func nodeDemands(p *outrank.Pod) []any { return []any{p.NodeSelector, p.Affinity.NodeAffinity} }
