package search

import "github.com/outrank-go/outrank/preemption/internal/state"

// takeCosts makes the costs of earlier searches known to this one, unless another
// search uses them.
func (s *Search) takeCosts() {
	if s.Attempt.Config.Cost == nil {
		return
	}
	if t := s.snap.Costs.Of(s.Attempt.Config); t.Mu.TryLock() {
		s.costTable = t
	} else {
		s.costTable = &state.CostTable{}
		s.costTable.Mu.Lock()
	}
	if n := len(s.snap.NodeStates); len(s.costTable.BySlot) < n {
		s.costTable.BySlot = append(s.costTable.BySlot, make([]state.NodeCosts, n-len(s.costTable.BySlot))...)
	}
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
		s.costTable.Mu.Unlock()
		s.costTable = nil
	}
}
