package preemption

import "slices"

// joinUnit takes a pod into its unit, if it runs on a node that exists, and leaveUnit
// takes it out again.
func (s *Snapshot) joinUnit(p *podState, n *nodeState) {
	if p.class.group != "" && n.node != nil {
		s.units.join(p, &s.groupObjects, s.owner)
		s.followUnits()
	}
}

func (s *Snapshot) leaveUnit(p *podState, n *nodeState) {
	if p.class.group != "" && n.node != nil {
		s.units.leave(p, s.owner)
		s.followUnits()
	}
}

// joinUnits takes the pods of a node that is there from now on into their units, and
// leaveUnits takes those of one that goes out of them.
func (s *Snapshot) joinUnits(n *nodeState) {
	for i := 0; n.grouped > 0 && i < len(n.pods); i++ {
		s.joinUnit(n.pods[i], n)
	}
}

func (s *Snapshot) leaveUnits(n *nodeState) {
	for i := 0; n.grouped > 0 && i < len(n.pods); i++ {
		s.leaveUnit(n.pods[i], n)
	}
}

// loadUnits finds the units of a new snapshot.
func (s *Snapshot) loadUnits() {
	var grouped []*podState
	for i := 0; s.rules.VictimUnits && i < len(s.order); i++ {
		n := s.nodes[s.order[i]]
		for j := 0; n.grouped > 0 && j < len(n.pods); j++ {
			if n.pods[j].class.group != "" {
				grouped = append(grouped, n.pods[j])
			}
		}
	}
	if len(grouped) > 0 {
		s.units.load(grouped, &s.groupObjects, s.owner)
	}
}

// replaceInUnit puts another state of a running pod in the place of one.
func (s *Snapshot) replaceInUnit(p, q *podState) {
	if p.class.group != "" && s.node(p.at.name).node != nil {
		s.units.replace(p, q, s.owner)
		s.followUnits()
	}
}

// regroup looks anew at what becomes of the pods of a group, and regroupBelow at those
// of all groups below a composite group.
func (s *Snapshot) regroup(key string) {
	s.units.regroup(key, &s.groupObjects, s.owner)
	s.followUnits()
}

func (s *Snapshot) regroupBelow(composite string) {
	s.units.regroupBelow(composite, &s.groupObjects, s.owner)
	s.followUnits()
}

// followUnits takes in what a change of units made of nodes: the answers of all nodes
// with pods of a unit depend on all of its pods.
func (s *Snapshot) followUnits() {
	for i := 0; s.cache.notes() && i < len(s.units.stale); i++ {
		for _, p := range s.units.stale[i].pods {
			if slot, ok := s.slots.get(p.at.name); ok {
				s.cache.changed(slot)
			}
		}
	}
	var slots []int32
	for _, p := range s.units.moved {
		if slot, ok := s.slots.get(p.at.name); ok {
			slots = append(slots, slot)
		}
	}
	slices.Sort(slots)
	for _, slot := range slices.Compact(slots) {
		s.refresh(s.writable(s.nodes[slot].name))
	}
	clear(s.units.stale)
	s.units.stale, s.units.moved = s.units.stale[:0], nil
}
