package exact

import "slices"

// startFrom offers the sets that are at hand before any search and make room: those that are left
// when one after the other stays that can, so that they win a tie, and all items. The forced items
// are away.
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

// eachFree does something with all items but the forced ones.
func (s *Search) eachFree(do func(item int32)) {
	for i := range s.q.Items {
		if !slices.Contains(s.forced, int32(i)) {
			do(int32(i))
		}
	}
}

// spareByAmounts keeps every item without which the others hold enough: first of those that
// violate a budget, then of the others, the most important first.
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
