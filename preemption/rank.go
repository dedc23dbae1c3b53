package preemption

import (
	"cmp"
)

// Compare orders two candidates of one decision by the ranks of section 9
// (pickOneNodeForPreemption): negative if a is better. by is the rank that
// decides, ByNodeOrder if none does and order is 0.
func (a Score) Compare(b Score) (order int, by Rank) {
	if c := cmp.Compare(a.Violations, b.Violations); c != 0 {
		return c, ByViolations
	}
	if c := cmp.Compare(a.TopPriority, b.TopPriority); c != 0 {
		return c, ByTopPriority
	}
	if c := cmp.Compare(a.PrioritySum, b.PrioritySum); c != 0 {
		return c, ByPrioritySum
	}
	if c := cmp.Compare(a.Victims, b.Victims); c != 0 {
		return c, ByVictims
	}
	if c := b.Start.Compare(a.Start); c != 0 {
		return c, ByStart
	}
	return 0, ByNodeOrder
}

// priorityShift makes every priority non-negative, so that fewer victims never
// sum up to more.
const priorityShift = 1 << 31
