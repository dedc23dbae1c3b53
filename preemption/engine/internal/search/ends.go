package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// endVerdict is what the end of a node's order says.
type endVerdict int

const (
	endUnknown endVerdict = iota // it does not tell the victims
	endLoses                     // no candidate on the node beats the incumbent
	endMayWin                    // the start, the costs or the budgets decide
)

// compareEnd compares the incumbent with the victims of a node on which resources alone decide. Their start and
// their cost are left at the best.
//
// The victims are found as rulesReprieve finds them: the shortest end of the order that makes room leaves, its
// first pod is a victim, and each of the others is put back where there is room. A pod that violates a budget
// comes before all others in that order, so that it stays as long as the others make room. Whether a pod of a
// budget that can be violated does so, only charging the budgets tells. So every way in which some of these pods
// stay is looked at, and the node loses if it loses in each.
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

	// The other sets are counted down from the set of all, as a number is: the last one is empty.
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

// endTells reports whether the end of a node's order may be looked at: it is kept, and no nominated pods, units,
// large amounts, resize or start in the future have a part in the answer.
func (w *Worker) endTells(n *state.NodeState, sum *state.NodeSummary) bool {
	return w.tables.ends != nil && sum.Flags&^state.Restricted == 0 && w.attempt.Resident == nil && n.InOrder(w.attempt.NowAt)
}

// mayWin reports whether the victims of a trial beat the incumbent by what is known of them.
func (w *Worker) mayWin(position int, t *endTrial) bool {
	// The first victim gives the top priority (rule 11.3), and mostly tells that the node loses. By the default
	// ranks a larger sum loses as well if the top priorities are equal.
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

	// That victim alone is the best that the score can be.
	score := NodeScore{Position: position}
	score.Add(top, rank.Never, 0)
	if !w.rules.Better(&score, best) {
		return false
	}

	score.Figures = rank.Figures{}
	t.victims(&score.Figures, mostSum)
	return w.rules.Better(&score, best)
}
