package search

import (
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
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
	// sorted is set if the rest is known for preemptors that reach above one priority and not
	// above another while these budgets can be violated: marks by a bit for each place of the
	// pods that may violate one, and by place what the pods up to there hold that leave. There
	// is no room before one leaves.
	sorted  bool
	reach   struct{ above, most int64 }
	tight   uint32
	stay    uint16
	leaving [endPods]spare
	last    int // the place with which there was room the last time
}

// sortOut finds which pods leave for a preemptor, unless that is known of one before.
func (e *endOfOrder) sortOut(reach int64, tight uint32) {
	if e.sorted && e.tight == tight && e.reach.above < reach && reach <= e.reach.most {
		return
	}
	e.sorted, e.tight, e.stay = true, tight, 0
	e.reach.above, e.reach.most = math.MinInt64, math.MaxInt64
	held := spare{room: math.MinInt32 / 2}
	for place := range e.pods[:e.number] {
		switch p := &e.pods[place]; {
		case int64(p.priority) >= reach:
			e.reach.most = min(e.reach.most, int64(p.priority))
		case p.budgets&tight != 0:
			e.reach.above = max(e.reach.above, int64(p.priority))
			e.stay |= 1 << place
		default:
			e.reach.above = max(e.reach.above, int64(p.priority))
			held.room = max(held.room, 0)
			held.free(&p.row)
		}
		e.leaving[place] = held
	}
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
	e    *endOfOrder
	left spare
	stay uint16 // marks the places of pods that stay because of budgets
	end  int    // the number of places that were gone over until there was room
}

// leave takes pods away until there is room; those that may violate a budget stay. It is not ok
// if the pods that are kept do not tell. What leaves only grows with the place, so that the search
// goes up or down from the place where it last ended: preemptors are mostly like others before.
func (t *endTrial) leave() (ok bool) {
	place, number := t.e.last, t.e.number
	switch {
	case number == 0:
		return false
	case t.fitsWithout(place):
		for place > 0 && t.fitsWithout(place-1) {
			place--
		}
	default:
		for place++; place < number && !t.fitsWithout(place); {
			place++
		}
		if place == number {
			return false
		}
	}
	t.left.without(&t.e.leaving[place])
	t.e.last, t.end = place, place+1
	t.stay = t.e.stay & (2<<(uint(place)%16) - 1)
	return bits.OnesCount16(t.stay) <= mostStay
}

// fitsWithout reports whether there is room once all have left that leave up to a place.
func (t *endTrial) fitsWithout(place int) bool {
	held := &t.e.leaving[place]
	return int64(t.left.room+held.room)|(t.left.slack[0]+held.slack[0])|(t.left.slack[1]+held.slack[1])|(t.left.slack[2]+held.slack[2]) >= 0 // as fits
}

// leaveBut is leave where only these of the pods that stayed stay: up to the first of the others
// the same pods leave as before.
func (t *endTrial) leaveBut(stay uint16) {
	place := bits.TrailingZeros16(t.e.stay &^ stay)
	if t.stay = stay; place > 0 && t.e.leaving[place-1].room > 0 {
		t.left.without(&t.e.leaving[place-1])
	}
	for most := t.e.reach.most; place < t.e.number; place++ {
		if p := &t.e.pods[place]; int64(p.priority) < most && stay>>(uint(place)%16)&1 == 0 {
			if t.left.free(&p.row); t.left.fits() {
				t.end = place + 1
				return
			}
		}
	}
}

// victims finds the figures of the victims. It gives up once their sum is above the most.
func (t *endTrial) victims(f *rank.Figures, most int64) {
	left, pods := t.left, t.e.pods[:t.end]
	for place := len(pods) - 1; place >= 0 && f.Sum <= most; place-- {
		switch p := &pods[place]; {
		case int64(p.priority) >= t.e.reach.most || t.stay>>(uint(place)%16)&1 != 0:
		case left.holds(&p.row):
			left.fill(&p.row)
		default:
			f.Add(p.priority, rank.Never, 0)
		}
	}
	f.Top, f.Start = t.e.pods[t.end-1].priority, rank.Never // rule 11.3
}
