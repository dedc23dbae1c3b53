package engine

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
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
// Where victims leave in units, the pods of a unit stand together among the possible ones, also those
// that run on other nodes: their NodeName says so, and a pod that was bound in the snapshot is a copy
// that says so. Who names one of them takes all, in its answer as in a [NodeView.Check]. What the node
// gains is what its own pods take.
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
