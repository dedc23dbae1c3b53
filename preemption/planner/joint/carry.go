package joint

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// holds reports whether the solution can be carried out at once: with all victims gone, each pod fits on its node
// beside the pods before it (rule 25.1.4). With moves it also finds out what becomes of the victims, and updates the
// total.
func (b *draft) holds(s *solution) bool {
	mark := b.plain.Mark()
	defer func() { b.fail(b.plain.Undo(mark)) }()

	// All victims leave before the first pod is placed, as when the plan is carried out.
	for i := range s.spots {
		if s.spots[i].node < 0 {
			return false
		}
		b.evict(b.plain, b.members[i].pod, s.spots[i])
	}
	for i := range s.spots {
		pod, node := b.members[i].pod, s.spots[i].node
		if b.err != nil || !b.takesNow(b.plain, pod, node) {
			return false
		}
		b.fail(b.plain.Bind(pod.Key(), b.nodes[node].Name))
	}

	// Only a proof depends on the cheapest places for the replacements (rule 25.6.4).
	effort := quick
	if b.proving {
		effort = thorough
	}
	return b.err == nil && b.findFates(b.plain, s, s.victims(), effort)
}

// beats reports whether a solution can be carried out at once and has a better total than another one.
//
// Until holds has found the fates of the victims, the total includes the least that their losses can cost
// (rule 25.6.5). If it is no better even so, no node need be asked. Otherwise it is compared again once the fates
// are known.
func (b *draft) beats(s *solution, than total) bool {
	if order, _ := b.totals.compare(s.total, than); order >= 0 || !b.holds(s) {
		return false
	}
	order, _ := b.totals.compare(s.total, than)
	return order < 0
}

// findFates finds out what becomes of the victims of a solution that is carried out in the snapshot. It updates the
// solution if the fates are exact, or cheaper than those known. It returns false if none are known afterwards. Without
// moves it does nothing, and returns true.
func (b *draft) findFates(snap *engine.Snapshot, s *solution, victims []*outrank.Pod, effort effort) bool {
	if b.totals.lossCosts == nil {
		return true
	}
	after := b.follow(snap, victims, effort)
	if after != nil {
		settled := b.totals.settle(s.total, after)
		if s.after == nil || after.exact || settled.moves < s.total.moves {
			s.after, s.total = after, settled
		}
	}
	return s.after != nil && b.err == nil
}
