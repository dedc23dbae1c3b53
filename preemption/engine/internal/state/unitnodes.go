package state

import "slices"

// joinUnit takes a pod of the node n into its group and unit, unless the node does not exist.
func (s *Snapshot) joinUnit(p *PodState, n *NodeState) {
	if p.Class.Group != "" && n.Node != nil {
		s.Units.join(p, &s.objects.groups, s.Owner)
		s.followUnits()
	}
}

// leaveUnit takes a pod of the node n out of its group and unit, unless the node does not exist.
func (s *Snapshot) leaveUnit(p *PodState, n *NodeState) {
	if p.Class.Group != "" && n.Node != nil {
		s.Units.leave(p, s.Owner)
		s.followUnits()
	}
}

// joinUnits takes all pods of a node that has just come into their groups and units.
func (s *Snapshot) joinUnits(n *NodeState) {
	for i := 0; n.Grouped > 0 && i < len(n.Pods); i++ {
		s.joinUnit(n.Pods[i], n)
	}
}

// leaveUnits takes all pods of a node that is about to go out of their groups and units.
func (s *Snapshot) leaveUnits(n *NodeState) {
	for i := 0; n.Grouped > 0 && i < len(n.Pods); i++ {
		s.leaveUnit(n.Pods[i], n)
	}
}

// loadUnits finds the units of a new snapshot.
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

// regroup brings the units in line with a group that has come, changed or gone.
func (s *Snapshot) regroup(key string) {
	s.Units.regroup(key, &s.objects.groups, s.Owner)
	s.followUnits()
}

// regroupBelow brings the units in line with a composite group that has come, changed or gone.
func (s *Snapshot) regroupBelow(composite string) {
	s.Units.regroupBelow(composite, &s.objects.groups, s.Owner)
	s.followUnits()
}

// followUnits brings summaries and cached answers in line with units that have changed, and empties
// the lists of these.
func (s *Snapshot) followUnits() {
	// The pods of a unit leave together, so that the answer of each node with one of them depends on
	// all of them. Without cached answers there is nobody to tell.
	for i := 0; s.Cache.notes() && i < len(s.Units.stale); i++ {
		for _, p := range s.Units.stale[i].Pods {
			if slot, ok := s.Slots.Get(p.At.Name); ok {
				s.Cache.changed(slot)
			}
		}
	}

	// A pod that counts with another priority changes the flags of its node's summary (flagsOf).
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

	// The memory of stale is kept: most changes of a pod in a unit need it. It keeps no unit alive.
	clear(s.Units.stale)
	s.Units.stale, s.Units.moved = s.Units.stale[:0], nil
}
