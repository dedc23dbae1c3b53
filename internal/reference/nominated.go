package reference

// fitsBesideNominated runs the filters twice (rules 7.16.1 and 7.16.2): with
// the pods that were promised this node and are at least as important as the
// preemptor, and again without them, because they may never arrive and another
// pod's affinity must not rest on them. Both must pass.
func (s *scene) fitsBesideNominated() Status {
	with, added := s, false
	for _, p := range s.a.nominated[s.node.Name] {
		if p.PriorityValue() >= s.a.pod.PriorityValue() {
			with, added = with.add(occupant{pod: p, nominated: true}, s.node), true
		}
	}
	status := with.runFilters()
	if status.Code != Success || !added || s.a.variant.FilterOnce {
		return status
	}
	return s.runFilters()
}
