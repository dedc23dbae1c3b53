package filter

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/draw"
)

var nodeNameEntry = Entry{
	Name: NodeName,
	Draw: Draw{
		Topic: Selectors,
		Asking: func(s draw.Source, nodes draw.Nodes, p *outrank.Pod) {
			if draw.OneIn(s, "node name", 30) {
				p.NodeName = nodes.Some(s, "wanted node")
			}
		},
	},
}
