package joint

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/lifecycle"
)

// Loss says what becomes of the work of an evicted pod (rules 11.12 to 11.15 of package preemption). A
// [Fate] also says where it goes and why.
type Loss string

// The losses, the mildest first.
const (
	// Moved means that a controller makes the pod again, and that another node has room for it now.
	Moved Loss = "moved"
	// Waits means that a controller makes the pod again, that no other node has room for it now, and that some
	// other node could have if pods left it. A pod of a group waits, too, because nobody looks at where a group
	// is scheduled.
	Waits Loss = "waits"
	// Lost means that no controller makes the pod again, or that no other node could take it whatever leaves
	// that node: it is a pod of a DaemonSet, or its volume, its affinity or the like allows no
	// other node.
	Lost Loss = "lost"
)

// LossCosts has the cost of each kind of loss, in a unit of the caller's.
type LossCosts struct{ Moved, Waits, Lost int64 }

// Of returns the cost of a loss, 0 for anything that is none.
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

// lot says what becomes of the work of one victim.
type lot struct {
	loss Loss
	node int // that of the replacement, -1 for none
}

// settled lists the victims of a solution, the most important first, with what becomes of each.
type settled struct {
	victims []*outrank.Pod
	fates   []lot
	// exact is set where no other places for the replacements cost less.
	exact bool
}

// byOwner returns what becomes of a victim where no node need be asked (rule 11.13).
func byOwner(pod *outrank.Pod) (loss Loss, known bool) {
	switch lifecycle.MakerOf(pod) {
	case lifecycle.Nobody, lifecycle.ForItsNode:
		return Lost, true
	case lifecycle.WithItsGroup:
		return Waits, true
	}
	return Moved, false
}

// mildest returns the least that the loss of a pod can cost, whatever nodes say (rule 25.6.5).
func mildest(costs LossCosts, pod *outrank.Pod) int64 {
	if loss, known := byOwner(pod); known {
		return costs.Of(loss)
	}
	return min(costs.Moved, costs.Waits, costs.Lost)
}
