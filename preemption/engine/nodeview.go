package engine

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// shownNode is the view of a node that a caller holds. When the view ends, noNode replaces the node in it.
type shownNode struct{ preemption.NodeView }

// noNode is the view after its end: it has no node and no possible victims, and Check always fails.
type noNode struct{}

func (noNode) Pod() *outrank.Pod         { return nil }
func (noNode) Node() *outrank.Node       { return nil }
func (noNode) Possible() []*outrank.Pod  { return nil }
func (noNode) Short(resource.Name) int64 { return 0 }
func (noNode) Check(...*outrank.Pod) preemption.Status {
	return preemption.Status{Code: preemption.Unschedulable}
}
func (noNode) Violated(victims ...*outrank.Pod) [][]*outrank.PodDisruptionBudget {
	return make([][]*outrank.PodDisruptionBudget, len(victims))
}
