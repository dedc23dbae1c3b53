package exact

import "slices"

// startFrom offers two sets that are known before any search and make room: the items that are left when one after the
// other stays that can, and all items. The first wins a tie. The forced items are away.
func (s *Search) startFrom() {
	for i := range s.chosen {
		s.chosen[i] = true
	}
	if s.q.Asked || s.tiers.on {
		s.spareByHost()
	} else {
		s.spareByAmounts()
	}
	if slices.Contains(s.chosen, true) {
		s.offer()
	}

	for i := range s.chosen {
		s.chosen[i] = true
	}
	s.offer()
	s.tiers.seeded = s.tiers.on && s.found
}

// spareByHost leaves it to the host which items stay.
func (s *Search) spareByHost() {
	s.eachFree(s.host.Leave)
	s.host.Spared(s.chosen)
	s.eachFree(s.host.Return)
}

// eachFree calls do for all items but the forced ones.
func (s *Search) eachFree(do func(item int32)) {
	for i := range s.q.Items {
		if !slices.Contains(s.forced, int32(i)) {
			do(int32(i))
		}
	}
}

// spareByAmounts takes every item out of the set without which the others hold enough: first those that
// violate a budget, then the others, each time the most important first.
func (s *Search) spareByAmounts() {
	held := s.heldBy(s.chosen)
	s.marks = cleared(s.marks, len(s.q.Items))
	s.host.Violating(s.marks)
	for _, violating := range [...]bool{true, false} {
		for i := range s.q.Items {
			if s.marks[i] == violating {
				s.spareItem(int32(i), &held)
			}
		}
	}
}
