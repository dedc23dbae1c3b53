package joint

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/lifecycle"
)

// Loss says what becomes of the work of an evicted pod (rules 11.12 to 11.15 of package preemption). A
// [Fate] adds the node of the replacement, or the reasons why there is none.
type Loss string

// The losses, the mildest first.
const (
	// Moved means that a controller creates the pod again, and another node has room for it now.
	Moved Loss = "moved"
	// Waits means that a controller creates the pod again, and no other node has room for it now, but one could
	// if pods left it. A pod of a group always waits, because no place is looked for on behalf of a group.
	Waits Loss = "waits"
	// Lost means that no controller creates the pod again, or that no other node could take it, whatever pods
	// leave: it belongs to a DaemonSet, or its volumes, its affinity or the like rule out all other nodes.
	Lost Loss = "lost"
)

// LossCosts has the cost of each kind of loss, in a unit of the caller's choice.
type LossCosts struct{ Moved, Waits, Lost int64 }

// Of returns the cost of a loss, and 0 for a value that is not one of the constants.
func (c LossCosts) Of(l Loss) int64 {
	switch l {
	case Moved:
		return c.Moved
	case Waits:
		return c.Waits
	case Lost:
		return c.Lost
	}
	return 0
}

// lot is the loss of one victim, with the node of its replacement.
type lot struct {
	loss Loss
	node int // index in draft.nodes, -1 for none
}

// settled has the victims of a solution, the most important first, with the lot of each.
type settled struct {
	victims []*outrank.Pod
	fates   []lot
	// exact is set if no other places for the replacements cost less.
	exact bool
}

// byOwner returns the loss of a pod if its owner alone decides it, without asking any node (rule 11.13).
func byOwner(pod *outrank.Pod) (loss Loss, known bool) {
	switch lifecycle.MakerOf(pod) {
	case lifecycle.Nobody, lifecycle.ForItsNode:
		return Lost, true
	case lifecycle.WithItsGroup:
		return Waits, true
	}
	return Moved, false
}

// mildest returns the least that the loss of a pod can cost, whatever the nodes answer (rule 25.6.5).
func mildest(costs LossCosts, pod *outrank.Pod) int64 {
	if loss, known := byOwner(pod); known {
		return costs.Of(loss)
	}
	return min(costs.Moved, costs.Waits, costs.Lost)
}
