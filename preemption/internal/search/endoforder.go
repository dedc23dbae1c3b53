package search

import (
	"math/bits"

	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// endOfOrder has the last pods of a node in the caller's order, the least important first. Most
// nodes lose by what these few say, so that nothing else of the node is read.
type endOfOrder struct {
	number int
	// mostCovered is that of the node's Extremes, and twice are the budgets that cover more
	// than one of its pods.
	mostCovered uint8
	twice       uint32
	pods        [endPods]endPod
}

// endPods is how many pods are kept of each order.
const endPods = 12

// endPod is what a decision reads of a pod: what it takes, its priority and the budgets that
// cover it (see Extremes.LowBudgets).
type endPod struct {
	row      state.AmountRow
	priority int32
	budgets  uint32
}

// coveredTwice returns the budgets that cover more than one pod of a node.
func coveredTwice(n *state.NodeState) (twice uint32) {
	once := uint32(0)
	for _, g := range n.Covered {
		twice |= once & g.Budgets
		once |= g.Budgets
	}
	return twice
}

// mostStay is how many pods that may violate a budget are told apart.
const mostStay = 2

// endTrial finds the victims on a node by the end of its order.
type endTrial struct {
	e     *endOfOrder
	reach int64
	// tight are the budgets that can be violated, and stay marks by a bit for each place the
	// pods that stay because of them.
	tight uint32
	stay  uint16
	left  spare
	end   int // the number of places that were gone over until there was room
}

// leave takes pods away until there is room; those that may violate a budget stay. It is not ok
// if the pods that are kept do not tell.
func (t *endTrial) leave() (ok bool) {
	left, pods, reach, bit := t.left, t.e.pods[:t.e.number], t.reach, uint16(1)
	for place := range pods {
		p := &pods[place]
		switch {
		case int64(p.priority) >= reach || t.stay&bit != 0:
		case p.budgets&t.tight != 0:
			t.stay |= bit
		default:
			if left.free(&p.row); left.fits() {
				t.left, t.end = left, place+1
				return bits.OnesCount16(t.stay) <= mostStay
			}
		}
		bit <<= 1
	}
	return false
}

// victims finds the figures of the victims.
func (t *endTrial) victims(f *rank.Figures) {
	left, pods := t.left, t.e.pods[:t.end]
	for place := len(pods) - 1; place >= 0; place-- {
		switch p := &pods[place]; {
		case int64(p.priority) >= t.reach || t.stay>>place&1 != 0:
		case left.holds(&p.row):
			left.fill(&p.row)
		default:
			f.Add(p.priority, rank.Never, 0)
		}
	}
	f.Top, f.Start = t.e.pods[t.end-1].priority, rank.Never // rule 11.3
}
