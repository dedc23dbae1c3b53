package engine

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/resource"
)

// NodeView is a node where room is to be made. It shows what the node would say with some of its
// pods gone, and changes nothing. A [Chooser] has it for the call; one of [Evaluator.LookAt] is valid
// until the next node is looked at. After that, and the zero NodeView, it sees no node, which takes
// nobody.
type NodeView struct{ of dryrun.ViewedNode }

// node returns what is seen.
func (v *NodeView) node() dryrun.ViewedNode {
	if v == nil || v.of == nil {
		return noNode{}
	}
	return v.of
}

// Pod is the preemptor.
func (v *NodeView) Pod() *outrank.Pod { return v.node().Preemptor() }

// Node is the node.
func (v *NodeView) Node() *outrank.Node { return v.node().Viewed() }

// Possible lists the pods that may be victims there, the most important first: those of lower
// priority, or of any with [Chooser].AnyPriority, that [Config].MayEvict allows. Where they are units,
// it lists unit by unit, with the pods of a unit that run on other nodes. The slice is the caller's.
func (v *NodeView) Possible() []*outrank.Pod { return v.node().PossibleVictims() }

// Check returns whether the node takes the preemptor without some of the possible victims, by every
// filter and beside the nominated pods that count. Name all that leave together. Other pods than
// possible victims are ignored. Time is that of asking the filters, and of finding the pods, which is
// one pass over the possible victims for pods that stand in their order.
func (v *NodeView) Check(without ...*outrank.Pod) preemption.Status {
	return v.node().CheckWithout(without)
}

// Violated returns, victim by victim, the budgets that losing all of these would violate, charged the
// most important first. Name all that leave together. It has nothing for pods that do not run. The
// slices are the caller's.
func (v *NodeView) Violated(victims ...*outrank.Pod) [][]*outrank.PodDisruptionBudget {
	return v.node().ViolatedBy(victims)
}

// Short returns how much of a resource the node lacks for the preemptor beside all the
// pods that run there: millicores of cpu, units of any other resource, and places under
// "pods". It is 0 where there is enough. Pods nominated to the node are left out.
func (v *NodeView) Short(name resource.Name) int64 { return v.node().Short(name) }

// noNode is what is seen once a view is over.
type noNode struct{}

func (noNode) Preemptor() *outrank.Pod         { return nil }
func (noNode) Viewed() *outrank.Node           { return nil }
func (noNode) PossibleVictims() []*outrank.Pod { return nil }
func (noNode) Short(resource.Name) int64       { return 0 }
func (noNode) CheckWithout([]*outrank.Pod) preemption.Status {
	return preemption.Status{Code: preemption.Unschedulable}
}
func (noNode) ViolatedBy(victims []*outrank.Pod) [][]*outrank.PodDisruptionBudget {
	return make([][]*outrank.PodDisruptionBudget, len(victims))
}
