package state

import "slices"

// joinUnit adds a pod of the node n to its group and unit, if the node exists.
func (s *Snapshot) joinUnit(p *PodState, n *NodeState) {
	if p.Class.Group != "" && n.Node != nil {
		s.Units.join(p, &s.objects.groups, s.Owner)
		s.followUnits()
	}
}

// leaveUnit removes a pod of the node n from its group and unit, if the node exists.
func (s *Snapshot) leaveUnit(p *PodState, n *NodeState) {
	if p.Class.Group != "" && n.Node != nil {
		s.Units.leave(p, s.Owner)
		s.followUnits()
	}
}

// joinUnits adds all pods of a node that has just come to their groups and units.
func (s *Snapshot) joinUnits(n *NodeState) {
	for i := 0; n.Grouped > 0 && i < len(n.Pods); i++ {
		s.joinUnit(n.Pods[i], n)
	}
}

// leaveUnits removes all pods of a node that is about to go from their groups and units.
func (s *Snapshot) leaveUnits(n *NodeState) {
	for i := 0; n.Grouped > 0 && i < len(n.Pods); i++ {
		s.leaveUnit(n.Pods[i], n)
	}
}

// loadUnits builds the units of a new snapshot.
func (s *Snapshot) loadUnits() {
	var grouped []*PodState
	for i := 0; s.Rules.VictimUnits && i < len(s.Order); i++ {
		n := s.NodeStates[s.Order[i]]
		for j := 0; n.Grouped > 0 && j < len(n.Pods); j++ {
			if n.Pods[j].Class.Group != "" {
				grouped = append(grouped, n.Pods[j])
			}
		}
	}
	if len(grouped) > 0 {
		s.Units.load(grouped, &s.objects.groups, s.Owner)
	}
}

// replaceInUnit puts q, another state of the running pod p, in its place in its group and unit.
func (s *Snapshot) replaceInUnit(p, q *PodState) {
	if p.Class.Group != "" && s.NodeState(p.At.Name).Node != nil {
		s.Units.replace(p, q, s.Owner)
		s.followUnits()
	}
}

// regroup updates the units after a group has come, changed or gone.
func (s *Snapshot) regroup(key string) {
	s.Units.regroup(key, &s.objects.groups, s.Owner)
	s.followUnits()
}

// regroupBelow updates the units after a composite group has come, changed or gone.
func (s *Snapshot) regroupBelow(composite string) {
	s.Units.regroupBelow(composite, &s.objects.groups, s.Owner)
	s.followUnits()
}

// followUnits updates summaries and cached answers after changes of units, and empties the lists of what
// changed.
func (s *Snapshot) followUnits() {
	// The pods of a unit leave together, so that the answer of each node with one of them depends on all of
	// them. Only cached answers have to hear of it.
	for i := 0; s.Cache.notes() && i < len(s.Units.stale); i++ {
		for _, p := range s.Units.stale[i].Pods {
			if slot, ok := s.Slots.Get(p.At.Name); ok {
				s.Cache.changed(slot)
			}
		}
	}

	// A pod that counts by another priority may change the flags of its node's summary (flagsOf).
	var slots []int32
	for _, p := range s.Units.moved {
		if slot, ok := s.Slots.Get(p.At.Name); ok {
			slots = append(slots, slot)
		}
	}
	slices.Sort(slots)
	for _, slot := range slices.Compact(slots) {
		s.refresh(s.writable(s.NodeStates[slot].Name))
	}

	// The memory of stale is kept, because most changes of a pod in a unit need it, but cleared, so that it
	// keeps no unit alive.
	clear(s.Units.stale)
	s.Units.stale, s.Units.moved = s.Units.stale[:0], nil
}
