package preemption

// takeCosts makes the costs of earlier searches known to this one, unless another
// search uses them.
func (s *search) takeCosts() {
	if s.config.Cost == nil {
		return
	}
	if t := s.snap.costs.of(s.config); t.mu.TryLock() {
		s.costTable = t
	} else {
		s.costTable = &costTable{}
		s.costTable.mu.Lock()
	}
	if n := len(s.snap.nodes); len(s.costTable.bySlot) < n {
		s.costTable.bySlot = append(s.costTable.bySlot, make([]nodeCosts, n-len(s.costTable.bySlot))...)
	}
}

// costsOn returns what the pods of a node cost, nil if nobody asks.
func (w *searchWorker) costsOn(n *nodeState) []int64 {
	if w.costTable == nil {
		return nil
	}
	return w.costTable.at(n, int(w.snap.summaries.at(n.slot).lowPods), w.config.Cost).costs
}

// releaseCosts lets others have the costs.
func (s *search) releaseCosts() {
	if s.costTable != nil {
		s.costTable.mu.Unlock()
		s.costTable = nil
	}
}
