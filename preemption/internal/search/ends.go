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

// endsDecide reports whether the end of the caller's order tells the victims of a node, as far as
// budgets have no say: nobody is asked about a pod, and pods that fit are put back.
func (r *searchRules) endsDecide() bool {
	return r.reordered && !r.chosen && !r.asked && !r.ascending && !r.readsFirst && !r.takesFree
}

// findEnd notes the last pods of a node in the order of the search.
func (s *Search) findEnd(n *state.NodeState, e *endOfOrder) {
	order := *s.tables.orders(n)
	e.number, e.mostCovered = min(len(order), endPods), s.snap.Summaries.ExtremesAt(n.Slot).MostCovered
	e.twice = coveredTwice(n)
	for k := range e.number {
		i := order[len(order)-1-k]
		e.pods[k] = endPod{row: n.Rows[i], priority: n.SortKeys[i].Priority}
		for _, g := range n.Covered {
			if g.Index == i {
				e.pods[k].budgets = g.Budgets
			}
		}
	}
}

// endVerdict is what the end of a node's order says.
type endVerdict int

const (
	endUnknown endVerdict = iota
	endLoses              // no candidate on the node beats the incumbent
	endMayWin             // only the start and the costs can decide
)

// compareEnd compares the incumbent with the victims of a node on which resources alone decide.
// When they started and what they cost is left at its best.
//
// The victims are found as rulesReprieve does: the shortest end of the order that makes room, of
// which the first is a victim and the others are put back where there is room. A pod that
// violates a budget comes before all others in that order, so that it stays, as long as the
// others make room. Only the budgets' charging tells whether a pod does that of which a budget
// could be violated; so each way in which these pods may stay is looked at.
func (w *Worker) compareEnd(position int, slot int32, sum *state.NodeSummary) endVerdict {
	s, n := w.search, w.snap.NodeStates[slot]
	if s.tables.ends == nil || sum.Flags&^state.Restricted != 0 || s.Attempt.Asked.Deferral.Resident != nil || !n.InOrder(s.Attempt.NowAt) {
		return endUnknown
	}
	e := s.tables.ends(n)
	t := endTrial{e: e, reach: s.Attempt.Reach, tight: s.Rules.tightOn(e.mostCovered, e.twice)}
	t.left.begin(sum, &s.asks)
	ok := t.leave()
	if !ok {
		return endUnknown
	}
	if w.mayWin(position, &t) {
		return endMayWin
	}
	for some := t.stay; some != 0; {
		some = (some - 1) & t.stay
		one := endTrial{e: e, reach: t.reach, stay: some}
		one.left.begin(sum, &s.asks)
		one.leave()
		if w.mayWin(position, &one) {
			return endMayWin
		}
	}
	return endLoses
}

// mayWin reports whether victims beat the incumbent by what is known of them. The first one
// mostly tells that they do not.
func (w *Worker) mayWin(position int, t *endTrial) bool {
	top := t.e.pods[t.end-1].priority
	if w.search.Rules.standard && w.Best.Position >= 0 && w.Best.Violations == 0 && top > w.Best.Top {
		return false
	}
	o := NodeScore{Position: position}
	o.Add(top, rank.Never, 0)
	if !w.search.Rules.Better(&o, &w.Best) {
		return false
	}
	o.Figures = rank.Figures{}
	t.victims(&o.Figures)
	return w.search.Rules.Better(&o, &w.Best)
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
