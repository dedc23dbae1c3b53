package preemption

import (
	"cmp"
	"fmt"
)

// Rank is a step in the comparison of two candidates.
type Rank uint8

// The ranks, in the default order (rules 11.2 to 11.7; ByOwnScore: rule 11.8),
// and what decides in the end.
const (
	ByViolations Rank = iota + 1
	ByTopPriority
	ByPrioritySum
	ByVictims
	ByStart
	ByNodeOrder
	// ByOwnScore stands for the caller's scorers.
	ByOwnScore
	// ByCost compares what the victims cost by the caller's rule ([Config.Cost],
	// rule 11.10).
	ByCost
)

// rankRule is everything about a rank: a new rank is one entry.
type rankRule struct {
	// word stands for the rank in JSON.
	word string
	// text says what the rank prefers.
	text string
	// compare is negative if a is better by this rank alone. It is nil for
	// ranks that a policy cannot name.
	compare func(a, b *Score) int
}

// rankRules has an entry for each rank.
var rankRules = [...]rankRule{
	ByViolations:  {"budget-violations", "fewer budget violations", func(a, b *Score) int { return cmp.Compare(a.Violations, b.Violations) }},
	ByTopPriority: {"top-priority", "lower priority of the most important victim", func(a, b *Score) int { return cmp.Compare(a.TopPriority, b.TopPriority) }},
	ByPrioritySum: {"priority-sum", "lower sum of victim priorities", func(a, b *Score) int { return cmp.Compare(a.PrioritySum, b.PrioritySum) }},
	ByVictims:     {"victim-count", "fewer victims", func(a, b *Score) int { return cmp.Compare(a.Victims, b.Victims) }},
	ByStart:       {"start-time", "most important victims started later", func(a, b *Score) int { return b.Start.Compare(a.Start) }},
	ByNodeOrder:   {word: "node-order", text: "equal in every rank; first in node order"},
	ByCost:        {"cost", "victims that cost less by the caller's rule", func(a, b *Score) int { return cmp.Compare(a.Cost, b.Cost) }},
	ByOwnScore:    {word: "own-score", text: "higher score by the caller's rules"},
}

// String returns in words what the rank prefers.
func (r Rank) String() string {
	if r > 0 && int(r) < len(rankRules) {
		return rankRules[r].text
	}
	return fmt.Sprintf("Rank(%d)", uint8(r))
}

// configurable reports whether a policy may name the rank.
func (r Rank) configurable() bool { return int(r) < len(rankRules) && rankRules[r].compare != nil }

// DefaultRanks returns the ranks in the order of chapter 11. The slice is the
// caller's.
func DefaultRanks() []Rank {
	return []Rank{ByViolations, ByTopPriority, ByPrioritySum, ByVictims, ByStart}
}

var sharedRanks = DefaultRanks()

// Compare orders two candidates of one decision by the default ranks
// (pickOneNodeForPreemption). order is negative if a is better. by is the rank
// that decides, ByNodeOrder if none does and order is 0.
func (a Score) Compare(b Score) (order int, by Rank) {
	return a.compareBy(&b, sharedRanks)
}

func (a *Score) compareBy(b *Score, ranks []Rank) (order int, by Rank) {
	for _, r := range ranks {
		if c := rankRules[r].compare(a, b); c != 0 {
			return c, r
		}
	}
	return 0, ByNodeOrder
}

// priorityShift makes every priority non-negative, so that more victims never
// have a smaller sum.
const priorityShift = 1 << 31
