package search

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// evaluateByFilters finds the victims by a dry run with every filter.
func (w *Worker) evaluateByFilters(position int, n *state.NodeState) {
	possible, st := w.Dry.DryRun(n)
	if st.Code == filters.Success {
		w.keep(w.dryScore(position, possible))
	} else {
		w.countFailure(possible, st)
	}
	w.Dry.RestoreVictims(possible)
}

// countFailure counts the answer of a node on which preemption does not help. Without possible victims that
// is noVictims (rule 9.2), whatever the dry run returned.
func (w *Worker) countFailure(possible []*state.PodState, st filters.Status) {
	if len(possible) == 0 {
		w.after.count(noVictims, 1)
	} else {
		w.after.count(w.after.intern(st), 1)
	}
}

// settle evaluates a node as a part of bounding it. If preemption does not help, it leaves the answer in the
// bound, where the caller counts it.
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

// dryScore returns the score of the candidate that the last dry run found.
func (w *Worker) dryScore(position int, possible []*state.PodState) NodeScore {
	sc := w.Dry.Score(possible)
	return NodeScore{position, sc.Figures}
}
