package preemption

import "cmp"

// Compare orders two candidates of one decision by the ranks of section 9
// (pickOneNodeForPreemption): negative if a is better. by is the rank that
// decides, ByNodeOrder if none does and order is 0.
func (a Score) Compare(b Score) (order int, by Rank) {
	return a.compareBy(&b, defaultRanks)
}

var defaultRanks = DefaultRanks()

func (a *Score) compareBy(b *Score, ranks []Rank) (order int, by Rank) {
	for _, r := range ranks {
		if c := r.compare(a, b); c != 0 {
			return c, r
		}
	}
	return 0, ByNodeOrder
}

// compare is negative if a is better by this rank alone.
func (r Rank) compare(a, b *Score) int {
	switch r {
	case ByViolations:
		return cmp.Compare(a.Violations, b.Violations)
	case ByTopPriority:
		return cmp.Compare(a.TopPriority, b.TopPriority)
	case ByPrioritySum:
		return cmp.Compare(a.PrioritySum, b.PrioritySum)
	case ByVictims:
		return cmp.Compare(a.Victims, b.Victims)
	case ByStart:
		return b.Start.Compare(a.Start)
	}
	return 0
}

// priorityShift makes every priority non-negative, so that fewer victims never
// sum up to more.
const priorityShift = 1 << 31
