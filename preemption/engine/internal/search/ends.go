package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

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
	n, q := w.snap.NodeStates[slot], &w.attempt.Asked
	if w.tables.ends == nil || sum.Flags&^state.Restricted != 0 || q.Deferral.Resident != nil || !n.InOrder(w.attempt.NowAt) {
		return endUnknown
	}
	e := w.tables.ends(n)
	e.sortOut(w.attempt.Reach, w.rules.tightOn(e.mostCovered, e.twice))
	t := endTrial{e: e}
	t.left.begin(sum, &w.need.asks)
	free := t.left
	if !t.leave() {
		return endUnknown
	}
	if w.mayWin(position, &t) {
		return endMayWin
	}
	for some := t.stay; some != 0; {
		some = (some - 1) & t.stay
		one := endTrial{e: e, left: free}
		one.leaveBut(some)
		if w.mayWin(position, &one) {
			return endMayWin
		}
	}
	return endLoses
}

// mayWin reports whether victims beat the incumbent by what is known of them. The first one
// mostly tells that they do not, and by the default ranks a larger sum does.
func (w *Worker) mayWin(position int, t *endTrial) bool {
	top, most := t.e.pods[t.end-1].priority, int64(math.MaxInt64)
	if w.rules.standard && w.Best.Position >= 0 && w.Best.Violations == 0 {
		switch {
		case top > w.Best.Top:
			return false
		case top == w.Best.Top:
			most = w.Best.Sum
		}
	}
	o := NodeScore{Position: position}
	o.Add(top, rank.Never, 0)
	if !w.rules.Better(&o, &w.Best) {
		return false
	}
	o.Figures = rank.Figures{}
	t.victims(&o.Figures, most)
	return w.rules.Better(&o, &w.Best)
}
