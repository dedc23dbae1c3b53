package search

import "github.com/outrank-go/outrank/preemption/internal/state"

// takeCosts makes the costs of earlier searches known to this one, unless another
// search uses them.
func (s *Search) takeCosts() {
	if s.Attempt.Config.Cost == nil {
		return
	}
	s.costTable = s.snap.TakeCosts(s.Attempt.Config)
}

// costsOn returns what the pods of a node cost, nil if nobody asks.
func (w *Worker) costsOn(n *state.NodeState) []int64 {
	if w.search.costTable == nil {
		return nil
	}
	return w.search.costTable.At(n, int(w.snap.Summaries.At(n.Slot).LowPods), w.search.Attempt.Config.Cost).Costs
}

// releaseCosts lets others have the costs.
func (s *Search) releaseCosts() {
	if s.costTable != nil {
		s.costTable.Release()
		s.costTable = nil
	}
}
