package filter

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var nodeNameEntry = Entry{
	Name:      NodeName,
	Reads:     Reads{Pod: func(pod *outrank.Pod) bool { return pod.NodeName != "" }},
	Fails:     IncurableFailure,
	Signature: func(w Writer, pod *outrank.Pod) { w.Text(pod.NodeName) },
	Names:     NamesOf{Member: "wantedNode", Text: "the pod wants node %s alone"},
	Helped: Hints{
		EventNodeAdded:  anyway, // also a node of another name
		EventPodUpdated: itself(func(p *outrank.Pod) []any { return []any{p.NodeName} }),
	},
	Draw: Draw{
		Topic: Selectors,
		Asking: func(s draw.Source, nodes draw.Nodes, p *outrank.Pod) {
			if draw.OneIn(s, "node name", 30) {
				p.NodeName = nodes.Some(s, "wanted node")
			}
		},
	},
}
