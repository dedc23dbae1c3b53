package search

import (
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// endOfOrder has the last pods of a node in the caller's order, the least important first. Their index is
// called a place. Most nodes lose by what these few pods say, so that nothing else of the node is read.
type endOfOrder struct {
	number int
	// mostCovered is that of the node's Extremes, and twice has the budgets that cover more than one of its
	// pods.
	mostCovered uint8
	twice       uint32
	pods        [endPods]endPod

	// The rest follows from the pods for one sort of preemptors, and is known if sorted is set: for those that
	// reach above one priority and not above another, while the budgets of tight can be violated.
	sorted bool
	reach  struct{ above, most int64 }
	tight  uint32
	// stay marks the places of the pods that may violate a budget.
	stay uint16
	// leaving has by place what the pods up to there hold that leave for certain. Its room is far below 0 up to
	// the first of these, so that nothing fits before one leaves.
	leaving [endPods]spare
	// last is the place up to which pods left the last time.
	last int
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

// sortOut finds which pods leave for a preemptor, unless that is known of one before.
func (e *endOfOrder) sortOut(reach int64, tight uint32) {
	if e.sorted && e.tight == tight && e.reach.above < reach && reach <= e.reach.most {
		return
	}
	e.sorted = true
	e.tight = tight
	e.stay = 0

	// The same pods leave for every preemptor that reaches above the highest priority of those that leave or
	// may violate a budget, and not above the lowest priority of those out of reach.
	e.reach.above = math.MinInt64
	e.reach.most = math.MaxInt64
	held := spare{room: math.MinInt32 / 2}
	for place := range e.pods[:e.number] {
		p := &e.pods[place]
		priority := int64(p.priority)
		if priority >= reach {
			e.reach.most = min(e.reach.most, priority)
			e.leaving[place] = held
			continue
		}

		e.reach.above = max(e.reach.above, priority)
		if p.budgets&tight != 0 {
			e.stay |= 1 << place
		} else {
			held.room = max(held.room, 0)
			held.free(&p.row)
		}
		e.leaving[place] = held
	}
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

// endTrial finds the victims on a node by the end of its order, as if certain pods violated a budget and so
// stayed.
type endTrial struct {
	e *endOfOrder
	// left is what is free beside the preemptor while the end is away.
	left spare
	// stay marks the places of the pods that stay because of budgets.
	stay uint16
	// end is the number of places that were gone over until there was room.
	end int
}

// leave takes pods away until there is room; those that may violate a budget stay. It is not ok if the pods that
// are kept do not tell, or if so many may violate a budget that it takes long to tell them apart.
//
// More has left the further the place is, so that the first place with room is found by going up or down from any
// other. It begins at the place where it ended the last time, because preemptors are mostly like others before.
func (t *endTrial) leave() (ok bool) {
	e := t.e
	place := e.last
	switch {
	case e.number == 0:
		return false

	case t.fitsWithout(place): // the first place with room is this one or a lower one
		for place > 0 && t.fitsWithout(place-1) {
			place--
		}

	default:
		for place++; place < e.number && !t.fitsWithout(place); {
			place++
		}
		if place == e.number { // more has to leave than the pods that are kept
			return false
		}
	}

	t.left.freeAll(&e.leaving[place])
	e.last = place
	t.end = place + 1
	t.stay = e.stay & (2<<(uint(place)%16) - 1)
	return bits.OnesCount16(t.stay) <= mostStay
}

// fitsWithout reports whether there is room once all have left that leave up to a place.
func (t *endTrial) fitsWithout(place int) bool {
	left, held := &t.left, &t.e.leaving[place]
	return int64(left.room+held.room)|(left.slack[0]+held.slack[0])|(left.slack[1]+held.slack[1])|(left.slack[2]+held.slack[2]) >= 0 // as fits
}

// leaveBut is leave where only some of the pods that stayed stay. Up to the first of the others the same pods
// leave as before. There is room no later than where leave found it, because more pods leave.
func (t *endTrial) leaveBut(stay uint16) {
	e := t.e
	place := bits.TrailingZeros16(e.stay &^ stay)
	t.stay = stay
	if place > 0 && e.leaving[place-1].room > 0 {
		t.left.freeAll(&e.leaving[place-1])
	}

	for ; place < e.number; place++ {
		if !t.leaves(place) {
			continue
		}
		if t.left.free(&e.pods[place].row); t.left.fits() {
			t.end = place + 1
			return
		}
	}
}

// leaves reports whether the pod at a place is away: it is within reach and does not stay because of budgets.
func (t *endTrial) leaves(place int) bool {
	e := t.e
	return int64(e.pods[place].priority) < e.reach.most && t.stay>>(uint(place)%16)&1 == 0
}

// firstVictim returns the first pod of the end. There is no room before it leaves, so that it is not put back.
func (t *endTrial) firstVictim() *endPod { return &t.e.pods[t.end-1] }

// victims finds the figures of the victims: the pods of the end are put back where there is room, the most
// important first. It gives up once their sum is above the most.
func (t *endTrial) victims(f *rank.Figures, mostSum int64) {
	left, pods := t.left, t.e.pods[:t.end]
	for place := len(pods) - 1; place >= 0 && f.Sum <= mostSum; place-- {
		p := &pods[place]
		if !t.leaves(place) {
			continue
		}

		if left.holds(&p.row) {
			left.fill(&p.row)
		} else {
			f.Add(p.priority, rank.Never, 0)
		}
	}
	f.Top = t.firstVictim().priority // rule 11.3
	f.Start = rank.Never
}
