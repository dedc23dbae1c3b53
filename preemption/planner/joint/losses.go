package joint

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/lifecycle"
)

// Loss is what becomes of the work of a pod that is evicted (rules 11.12 to 11.15 of package preemption). A
// [Fate] says where it goes and why, too.
type Loss string

// What becomes of it, the mildest first.
const (
	// Moved: its controller makes it again, and another node has room for that now.
	Moved Loss = "moved"
	// Waits: its controller makes it again, no other node has room for that now, and some
	// other node could have if pods left it. A pod of a group that names one waits, too:
	// where a group is scheduled is not looked at.
	Waits Loss = "waits"
	// Lost: no controller makes it again, or no other node could take it whatever leaves
	// it: it is a pod of a DaemonSet, or its volume, its affinity or the like allows no
	// other node.
	Lost Loss = "lost"
)

// LossCosts is what each kind of loss costs, in a unit of the caller's.
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

// lot is what becomes of the work of one victim.
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
