package joint

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// holds reports whether the solution can be carried out at once: with all victims gone,
// each pod fits on its node beside those before it (rule 25.1.4). With moves it also finds out what becomes of
// the victims.
func (b *draft) holds(s *solution) bool {
	mark := b.plain.Mark()
	defer func() { b.fail(b.plain.Undo(mark)) }()

	// All victims are gone before the first pod is asked for, as when the plan is carried out.
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

	// Only the proof needs the best places for the replacements (rule 25.6.4).
	effort := quick
	if b.proving {
		effort = thorough
	}
	return b.err == nil && b.findFates(b.plain, s, s.victims(), effort)
}

// beats reports whether a solution can be carried out at once and is better than another total.
//
// Until holds has found the fates of the victims the total has the least that their losses can cost (rule
// 25.6.5). A solution that is no better by that never is, so the nodes need not be asked; one that is better
// is compared again.
func (b *draft) beats(s *solution, than total) bool {
	if order, _ := b.totals.compare(s.total, than); order >= 0 || !b.holds(s) {
		return false
	}
	order, _ := b.totals.compare(s.total, than)
	return order < 0
}

// findFates finds out what becomes of the victims of a solution that is carried out on a snapshot, and enters
// it into the solution where it is exact or cheaper than what was known. It returns false where nothing is
// known in the end.
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
