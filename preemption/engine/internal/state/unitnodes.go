package state

import "slices"

// joinUnit takes a pod into its unit, if it runs on a node that exists, and leaveUnit
// takes it out again.
func (s *Snapshot) joinUnit(p *PodState, n *NodeState) {
	if p.Class.Group != "" && n.Node != nil {
		s.Units.join(p, &s.objects.groups, s.Owner)
		s.followUnits()
	}
}

func (s *Snapshot) leaveUnit(p *PodState, n *NodeState) {
	if p.Class.Group != "" && n.Node != nil {
		s.Units.leave(p, s.Owner)
		s.followUnits()
	}
}

// joinUnits takes the pods of a node that is there from now on into their units, and
// leaveUnits takes those of one that goes out of them.
func (s *Snapshot) joinUnits(n *NodeState) {
	for i := 0; n.Grouped > 0 && i < len(n.Pods); i++ {
		s.joinUnit(n.Pods[i], n)
	}
}

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

// replaceInUnit puts another state of a running pod in the place of one.
func (s *Snapshot) replaceInUnit(p, q *PodState) {
	if p.Class.Group != "" && s.NodeState(p.At.Name).Node != nil {
		s.Units.replace(p, q, s.Owner)
		s.followUnits()
	}
}

// regroup looks anew at what becomes of the pods of a group, and regroupBelow at those
// of all groups below a composite group.
func (s *Snapshot) regroup(key string) {
	s.Units.regroup(key, &s.objects.groups, s.Owner)
	s.followUnits()
}

func (s *Snapshot) regroupBelow(composite string) {
	s.Units.regroupBelow(composite, &s.objects.groups, s.Owner)
	s.followUnits()
}

// followUnits takes in what a change of units made of nodes: the answers of all nodes
// with pods of a unit depend on all of its pods.
func (s *Snapshot) followUnits() {
	for i := 0; s.Cache.notes() && i < len(s.Units.stale); i++ {
		for _, p := range s.Units.stale[i].Pods {
			if slot, ok := s.Slots.Get(p.At.Name); ok {
				s.Cache.changed(slot)
			}
		}
	}
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
	clear(s.Units.stale)
	s.Units.stale, s.Units.moved = s.Units.stale[:0], nil
}
