package filter

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var nodeUnschedulableEntry = Entry{
	Name:      NodeUnschedulable,
	Reads:     Reads{Node: func(node *outrank.Node) bool { return node.Unschedulable }},
	Fails:     IncurableFailure,
	Signature: func(w Writer, pod *outrank.Pod) { w.Flag(fit.Unschedulable(pod, cordoned)) },
	Helped:    []string{EventNodeAdded, EventNodeUpdated},
	LooksAt:   tolerations,
	Draw: Draw{
		Topic: Taints,
		Node:  func(s draw.Source, n *outrank.Node) { n.Unschedulable = draw.OneIn(s, "cordoned", 10) },
	},
}

// cordoned is a node whose only property is that it is unschedulable.
var cordoned = &outrank.Node{Unschedulable: true}

// tolerations returns the tolerations of a pod, for LooksAt.
func tolerations(p *outrank.Pod) []any { return []any{p.Tolerations} }
