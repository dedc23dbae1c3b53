package exact

import "slices"

// startFrom offers two sets that make room and need no search: all items without those that can be spared one
// after another, and all items. The first wins a tie. The forced items are away.
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

// spareByHost lets the host decide which items are spared.
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

// spareByAmounts takes items out of the set, each if the others hold enough without it: first items that
// violate a budget, then the others, the most important first in both.
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
