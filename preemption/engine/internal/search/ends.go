package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// endVerdict is what the end of a node's order proves about the node.
type endVerdict int

const (
	endUnknown endVerdict = iota // the end does not suffice to find the victims
	endLoses                     // no candidate on the node beats the incumbent
	endMayWin                    // the start, the costs or the budgets have to decide
)

// compareEnd compares the incumbent with the victims of a node on which resources alone decide. The victims'
// start and cost are assumed to be the best possible.
//
// The victims are found as in rulesReprieve: the shortest end of the order that makes room leaves, its first
// pod is a victim, and each other pod is put back if there is room. A pod that violates a budget comes before
// all others in that order, so that it stays as long as the others make room. Only charging the budgets tells
// which pods violate one. So every combination of the pods that may do so is tried, and the node loses if it
// loses with each.
func (w *Worker) compareEnd(p prospect) endVerdict {
	n := w.snap.NodeStates[p.slot]
	if !w.endTells(n, p.sum) {
		return endUnknown
	}

	e := w.tables.ends(n)
	e.sortOut(w.attempt.Reach, w.rules.tightOn(e.mostCovered, e.twice))
	all := endTrial{e: e}
	all.left.begin(p.sum, &w.need.asks)
	free := all.left
	if !all.leave() {
		return endUnknown
	}
	if w.mayWin(p.position, &all) {
		return endMayWin
	}

	// some runs through all smaller subsets of all.stay, in falling numeric order; the last is empty.
	for some := all.stay; some != 0; {
		some = (some - 1) & all.stay
		one := endTrial{e: e, left: free}
		one.leaveBut(some)
		if w.mayWin(p.position, &one) {
			return endMayWin
		}
	}
	return endLoses
}

// endTells reports whether the end of a node's order may be used: ends are kept, and nominated pods, units,
// large amounts, a resize, or a start in the future cannot change the answer.
func (w *Worker) endTells(n *state.NodeState, sum *state.NodeSummary) bool {
	return w.tables.ends != nil && sum.Flags&^state.Restricted == 0 && w.attempt.Resident == nil && n.InOrder(w.attempt.NowAt)
}

// mayWin reports whether the victims of a trial may beat the incumbent.
func (w *Worker) mayWin(position int, t *endTrial) bool {
	// The first victim gives the top priority (rule 11.3), by which most nodes lose. By the default ranks, a
	// larger sum also loses if the top priorities are equal.
	best := &w.Best
	top, mostSum := t.firstVictim().priority, int64(math.MaxInt64)
	if w.rules.standard && best.Position >= 0 && best.Violations == 0 {
		switch {
		case top > best.Top:
			return false
		case top == best.Top:
			mostSum = best.Sum
		}
	}

	// No score is better than that of this victim alone.
	score := NodeScore{Position: position}
	score.Add(top, rank.Never, 0)
	if !w.rules.Better(&score, best) {
		return false
	}

	score.Figures = rank.Figures{}
	t.victims(&score.Figures, mostSum)
	return w.rules.Better(&score, best)
}
