package engine

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/resource"
)

// Chooser is a rule of the caller that chooses the victims on a node, in place of the
// rules of chapter 9 and of [preemption.Policy].Victims.
//
// It is asked about nodes that do not take the preemptor as things are, and take it
// with every possible victim gone; about the others it has no say. Its answer is checked:
// each victim is one of [NodeView.Possible], is named once, and without the victims the
// node takes the preemptor by every filter. Anything else ends the decision with an
// error that names the rule, the node and the pod. No victims at all mean that the node
// is no candidate. The candidates are ranked as any others. Budgets are charged for the
// victims alone, the most important first.
//
// The answer has to depend on the view alone. Explain asks about every such node.
// Preempt asks about those that could still be the best, so that [preemption.Plan.Unhelpful] is
// empty where there are victims, and an answer that makes no sense is noticed only
// where it is asked for. A node may be asked about again.
type Chooser struct {
	// Name stands in errors and statuses. It is not empty.
	Name string
	// Choose returns the victims on the node, in any order. It may keep neither the view
	// nor what that returns. Several goroutines may call it at once.
	Choose func(v *NodeView) []*outrank.Pod
	// AnyPriority makes pods of the preemptor's priority and above possible victims,
	// too.
	AnyPriority bool
}

// NodeView is what a [Chooser] sees of a node. It is valid during the call. The zero
// NodeView sees no node, which takes nobody.
type NodeView struct{ of dryrun.ViewedNode }

// node returns what is seen.
func (v *NodeView) node() dryrun.ViewedNode {
	if v.of == nil {
		return noNode{}
	}
	return v.of
}

// noNode is a view after its call, and the zero one.
type noNode struct{}

func (noNode) Preemptor() *outrank.Pod                 { return nil }
func (noNode) Viewed() *outrank.Node                   { return nil }
func (noNode) PossibleVictims() []*outrank.Pod         { return nil }
func (noNode) Short(resource.Name) int64               { return 0 }
func (noNode) Takes(*outrank.Pod, resource.Name) int64 { return 0 }
func (noNode) CheckWithout([]*outrank.Pod) preemption.Status {
	return preemption.Status{Code: preemption.Unschedulable}
}
func (noNode) ViolationsOf([]*outrank.Pod) int { return 0 }

// Pod is the preemptor.
func (v *NodeView) Pod() *outrank.Pod { return v.node().Preemptor() }

// Node is the node.
func (v *NodeView) Node() *outrank.Node { return v.node().Viewed() }

// Possible lists the pods on the node that may be chosen: those of lower priority, or
// of any with [Chooser].AnyPriority, that [Config].MayEvict allows, the most important
// first. The slice is the caller's to change until Choose returns.
func (v *NodeView) Possible() []*outrank.Pod { return v.node().PossibleVictims() }

// Short returns how much of a resource the node lacks for the preemptor beside all the
// pods that run there: millicores of cpu, units of any other resource, and places under
// "pods". It is 0 where there is enough. Pods nominated to the node are left out.
func (v *NodeView) Short(name resource.Name) int64 { return v.node().Short(name) }

// Takes returns how much of a resource a possible victim takes, in the units of Short.
// It is 0 for any other pod.
func (v *NodeView) Takes(pod *outrank.Pod, name resource.Name) int64 {
	return v.node().Takes(pod, name)
}

// Check returns whether the node takes the preemptor without some of the possible
// victims, by every filter and beside the nominated pods that count. Other pods than
// possible victims are ignored. Time is that of asking the filters.
func (v *NodeView) Check(without ...*outrank.Pod) preemption.Status {
	return v.node().CheckWithout(without)
}

// Fits reports whether the node takes the preemptor without some of the possible
// victims, as [NodeView.Check] says.
func (v *NodeView) Fits(without ...*outrank.Pod) bool {
	return v.Check(without...).Code == preemption.Success
}

// Violations counts how many of these victims would violate a budget, if they were
// chosen. Other pods than possible victims are ignored.
func (v *NodeView) Violations(victims ...*outrank.Pod) int { return v.node().ViolationsOf(victims) }

// asked returns the rule as the engine asks it.
func (c *Chooser) asked() *dryrun.Chooser {
	asked := &dryrun.Chooser{Name: c.Name, AnyPriority: c.AnyPriority}
	if c.Choose != nil {
		asked.Choose = func(n dryrun.ViewedNode) []*outrank.Pod {
			view := NodeView{n}
			victims := c.Choose(&view)
			view.of = noNode{}
			return victims
		}
	}
	return asked
}
