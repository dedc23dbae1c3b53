package filter

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/draw"
)

var nodeUnschedulableEntry = Entry{
	Name: NodeUnschedulable,
	Draw: Draw{
		Topic: Taints,
		Node:  func(s draw.Source, n *outrank.Node) { n.Unschedulable = draw.OneIn(s, "cordoned", 10) },
	},
}
