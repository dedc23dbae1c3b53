package filter

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var nodeUnschedulableEntry = Entry{
	Name:      NodeUnschedulable,
	Reads:     Reads{Node: func(node *outrank.Node) bool { return node.Unschedulable }},
	Fails:     IncurableFailure,
	Signature: func(w Writer, pod *outrank.Pod) { w.Flag(fit.Unschedulable(pod, cordoned)) },
	Helped: Hints{
		EventNodeAdded:   comes(uncordoned),
		EventNodeUpdated: becomes(uncordoned),
		EventPodUpdated:  toleratesCordon,
	},
	Draw: Draw{
		Topic: Taints,
		Node:  func(s draw.Source, n *outrank.Node) { n.Unschedulable = draw.OneIn(s, "cordoned", 10) },
	},
}

// cordoned is a node whose only property is that it is unschedulable.
var cordoned = &outrank.Node{Unschedulable: true}

// uncordoned reports whether a node is not cordoned. What the pod tolerates does not matter: had it tolerated
// the cordon, the filter would not have kept it off (rule 5.4.22).
func uncordoned(_ *Waiting, n *outrank.Node) bool { return !n.Unschedulable }

// toleratesCordon reports whether the pod has other tolerations now, which cover a cordon.
func toleratesCordon(_ *Waiting, c *Change) bool {
	return !slices.Equal(c.PodBefore.Tolerations, c.Pod.Tolerations) && !fit.Unschedulable(c.Pod, cordoned)
}
