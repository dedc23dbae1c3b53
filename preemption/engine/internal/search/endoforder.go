package search

import (
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// endOfOrder has the last pods of a node in the caller's order, the least important first. Their indexes here
// are called places. Most nodes lose by these few pods, so that nothing else of the node is read.
type endOfOrder struct {
	number int
	// mostCovered is Extremes.MostCovered of the node, and twice has the bits of the budgets that cover more
	// than one of its pods.
	mostCovered uint8
	twice       uint32
	pods        [endPods]endPod

	// The fields below are derived by sortOut and valid if sorted is set: for preemptors whose reach is above
	// reach.above and at most reach.most, and while the budgets in tight are those that can be violated.
	sorted bool
	reach  struct{ above, most int64 }
	tight  uint32
	// stay has a bit for each place whose pod may violate a budget.
	stay uint16
	// leaving has, by place, the sum of the pods up to there that leave for certain. Before the first of
	// these its room is far below 0, so that nothing fits.
	leaving [endPods]spare
	// last is the place at which leave found room the last time.
	last int
}

// endPods is the number of pods that an endOfOrder has at most.
const endPods = 12

// endPod has what a decision reads of a pod: the amounts that it takes, its priority, and the bits of the
// budgets that cover it (see Extremes.LowBudgets).
type endPod struct {
	row      state.AmountRow
	priority int32
	budgets  uint32
}

// sortOut derives which pods leave for a preemptor with this reach, unless the derived fields are already
// valid for it.
func (e *endOfOrder) sortOut(reach int64, tight uint32) {
	if e.sorted && e.tight == tight && e.reach.above < reach && reach <= e.reach.most {
		return
	}
	e.sorted = true
	e.tight = tight
	e.stay = 0

	// The same pods leave for every preemptor that reaches above the highest priority within reach, and not
	// above the lowest priority out of reach.
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

// coveredTwice returns the bits of the budgets that cover more than one pod of a node.
func coveredTwice(n *state.NodeState) (twice uint32) {
	once := uint32(0)
	for _, g := range n.Covered {
		twice |= once & g.Budgets
		once |= g.Budgets
	}
	return twice
}

// mostStay is the largest number of pods that may violate a budget for which every combination is tried.
const mostStay = 2

// endTrial finds the victims on a node by the end of its order, under the assumption that certain pods
// violate a budget and so stay.
type endTrial struct {
	e *endOfOrder
	// left is what is free beside the preemptor while the pods of the end are gone.
	left spare
	// stay has a bit for each place whose pod stays because of budgets.
	stay uint16
	// end is the number of places until there is room.
	end int
}

// leave removes pods until there is room; those that may violate a budget stay. It reports false if the
// stored pods do not make room, or if more than mostStay pods may violate a budget.
//
// At a later place more pods have left. So the first place with room can be found by going up or down from
// any other. The search starts where it ended the last time, because preemptors mostly resemble earlier ones.
func (t *endTrial) leave() (ok bool) {
	e := t.e
	place := e.last
	switch {
	case e.number == 0:
		return false

	case t.fitsWithout(place): // the first place with room is this one or a lower
		for place > 0 && t.fitsWithout(place-1) {
			place--
		}

	default:
		for place++; place < e.number && !t.fitsWithout(place); {
			place++
		}
		if place == e.number { // more has to leave than the stored pods
			return false
		}
	}

	t.left.freeAll(&e.leaving[place])
	e.last = place
	t.end = place + 1
	t.stay = e.stay & (2<<(uint(place)%16) - 1)
	return bits.OnesCount16(t.stay) <= mostStay
}

// fitsWithout reports whether there is room once all pods that leave up to a place are gone.
func (t *endTrial) fitsWithout(place int) bool {
	left, held := &t.left, &t.e.leaving[place]
	return int64(left.room+held.room)|(left.slack[0]+held.slack[0])|(left.slack[1]+held.slack[1])|(left.slack[2]+held.slack[2]) >= 0 // as fits
}

// leaveBut is leave with only the pods in stay staying. Up to the first other pod that may violate a budget
// the same pods leave as in leave. Room is found no later than in leave, because more pods leave.
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

// leaves reports whether the pod at a place leaves: it is within reach and does not stay because of budgets.
func (t *endTrial) leaves(place int) bool {
	e := t.e
	return int64(e.pods[place].priority) < e.reach.most && t.stay>>(uint(place)%16)&1 == 0
}

// firstVictim returns the most important pod of the end. There is no room before it leaves, so that it cannot
// be put back.
func (t *endTrial) firstVictim() *endPod { return &t.e.pods[t.end-1] }

// victims computes the figures of the victims: the pods of the end are put back if there is room, the most
// important first. It stops once the sum exceeds mostSum.
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
