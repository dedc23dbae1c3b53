package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// entry has what a tournament knows about a node. Its score is the candidate's if the entry is evaluated, and
// otherwise the best that the bound allows. The position of the score is below 0 if the node is no candidate.
type entry struct {
	NodeBound
	NodeScore
	// kindOfBound is the Kind of the bound before the evaluation.
	kindOfBound boundKind
	// guarded is set if the position is listed in Tournament.guarded.
	guarded bool
	// unbroken is set if the victims were found by resources alone, and no pod up to the bound violated a
	// budget.
	unbroken bool
}

// dependsOnBudgets reports whether the evaluation may change once budgets allow more or less. If resources
// alone decide and no budget covers a pod up to the bound, it cannot: none of these pods violates a budget,
// and so no other pod is a victim, whatever budgets allow.
func (e *entry) dependsOnBudgets(n *state.NodeState) bool {
	last := len(n.Covered) - 1 // index of the least important covered pod
	return last >= 0 && (e.kindOfBound != byResources || n.SortKeys[n.Covered[last].Index].Priority <= e.Bound)
}

// budgetsMatterUpTo returns the priority up to which the budgets of pods can change the evaluation. As long
// as no pod up to the bound violates a budget, no pod above it is a victim, so that the budgets of those do
// not matter.
func (e *entry) budgetsMatterUpTo() int32 {
	if e.kindOfBound == byResources && e.unbroken {
		return e.Bound
	}
	return math.MaxInt32
}

// writeEntry bounds a node, writes its entry and counts its answers. The caller must play the matches.
func (c *cachedSearch) writeEntry(position int32) {
	w, t := c.worker, c.tournament
	slot, e := c.snap.Order[position], t.writable(position)

	// Without an incumbent an evaluation does not stop early.
	w.Best = NodeScore{Position: -1}
	w.settled = false
	w.BoundNode(&e.NodeBound, int(position), slot)
	if w.settled {
		c.noteEvaluated(position)
	} else {
		c.scoreByBound(position)
	}

	w.before.count(e.before, 1)
	w.after.count(e.after, 1)
	t.noteFit(position, e.before == 0)
}

// noteEvaluated records what the worker found when it evaluated a node, and what that depends on beside the
// node itself and the signature.
func (c *cachedSearch) noteEvaluated(position int32) {
	w, t := c.worker, c.tournament
	e, n := t.writable(position), w.NodeAt(int(position))
	e.NodeScore = w.Best
	e.unbroken = w.unbroken
	e.kindOfBound = e.Kind
	e.Kind = Evaluated

	// A pod without a start time counts as started at the time of the call. Victims on other nodes can change
	// without this node, and the log does not tell what filters then say about it.
	units := c.attempt.HasUnits(n)
	if n.Unstarted > 0 || units && (w.Dry.Unstarted || !c.plan.Fixed) {
		t.transient = append(t.transient, position)
	}

	if (units || e.dependsOnBudgets(n)) && !e.guarded {
		e.guarded = true
		t.guarded = append(t.guarded, position)
	}
}

// scoreByBound writes the best score that the bound of a node allows as its entry's score.
//
// The start of low victims bounds the start of every set of victims that ties with the score up to there (see
// boundLowStart).
func (c *cachedSearch) scoreByBound(position int32) {
	e := c.tournament.writable(position)
	e.NodeScore = NodeScore{Position: -1}
	if e.Kind == Settled {
		return
	}
	e.NodeBound.setLow(&e.NodeScore, int(position))

	// The top-k sums are read only if tightening has read them already, because most entries never win a
	// match.
	slot := c.snap.Order[position]
	if sum := c.sums.At(slot); e.tightened && sum.Lowest == e.Bound && e.Kind != byUnits {
		if start := c.sums.TopSumsAt(slot).LatestStart(sum, int32(e.fewest)); start != rank.NoStart {
			e.Start = lastInstantOf(start)
		}
	}
}
