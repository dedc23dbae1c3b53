package search

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// evaluateByFilters finds the victims by a dry run with every filter.
func (w *Worker) evaluateByFilters(position int, n *state.NodeState) {
	possible, st := w.Dry.DryRun(n)
	switch {
	case st.Code == filters.Success:
		w.keep(w.dryScore(position, possible))
	default:
		w.countFailure(possible, st)
	}
	w.Dry.RestoreVictims(possible)
}

// countFailure counts a node on which preemption does not help.
func (w *Worker) countFailure(possible []*state.PodState, st filters.Status) {
	if len(possible) == 0 {
		w.after.count(noVictims, 1)
	} else {
		w.after.count(w.after.intern(st), 1)
	}
}

// settle evaluates a node at once while it is bounded. If preemption does not help, the
// bound has the answer, which whoever asked for the bound counts, and takes back where
// the node is bounded again.
func (w *Worker) settle(b *NodeBound, position int, n *state.NodeState) {
	w.settled = true
	possible, st := w.Dry.DryRun(n)
	switch {
	case st.Code == filters.Success:
		w.keep(w.dryScore(position, possible))
	case len(possible) == 0:
		b.after = noVictims
	default:
		b.after = w.after.intern(st)
	}
	w.Dry.RestoreVictims(possible)
}

// dryScore is the score of the dry run that just ended.
func (w *Worker) dryScore(position int, possible []*state.PodState) NodeScore {
	sc := w.Dry.Score(possible)
	return NodeScore{position, sc.Figures}
}
