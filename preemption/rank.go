package preemption

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Rank is a step in the comparison of two candidates.
type Rank uint8

// The ranks, in the default order (rules 11.2 to 11.7; ByOwnScore: rule 11.8),
// and what decides in the end.
const (
	ByViolations  Rank = rank.ByViolations
	ByTopPriority Rank = rank.ByTopPriority
	ByPrioritySum Rank = rank.ByPrioritySum
	ByVictims     Rank = rank.ByVictims
	ByStart       Rank = rank.ByStart
	ByNodeOrder   Rank = rank.ByNodeOrder
	// ByOwnScore stands for the caller's scorers.
	ByOwnScore Rank = rank.ByOwnScore
	// ByCost compares what the victims cost by the caller's rule (Config.Cost,
	// rule 11.10).
	ByCost Rank = rank.ByCost
)

// String returns in words what the rank prefers.
func (r Rank) String() string {
	if text := rank.Of(r).Text; text != "" {
		return text
	}
	return fmt.Sprintf("Rank(%d)", uint8(r))
}

// Won begins a sentence about a candidate that is better by the rank, such as "Fewer victims".
// It is empty for [ByNodeOrder] and for what is no rank.
func (r Rank) Won() string { return rank.Of(r).Won }

// Gap returns by how much a is better than b by the rank alone: violations, steps of priority,
// the sum of priorities (2^31 for each victim), victims, cost, or nanoseconds of a later start,
// as far as an int64 goes. It is below 0 where a is worse, and 0 for ranks that compare no
// figure of a score.
func (r Rank) Gap(a, b Score) int64 {
	f, g := a.figures(), b.figures()
	return f.Gap(&g, rank.Of(r).Figure)
}

// DefaultRanks returns the ranks in the order of chapter 11. The slice is the
// caller's.
func DefaultRanks() []Rank {
	return []Rank{ByViolations, ByTopPriority, ByPrioritySum, ByVictims, ByStart}
}

var sharedRanks = DefaultRanks()

// Compare orders two candidates of one decision by some ranks, or without any by the default
// ones (pickOneNodeForPreemption). order is negative if a is better. by is the rank that
// decides, ByNodeOrder if none does and order is 0. A rank that compares no figure of a score
// decides nothing.
func (a Score) Compare(b Score, ranks ...Rank) (order int, by Rank) {
	if len(ranks) == 0 {
		ranks = sharedRanks
	}
	f, g := a.figures(), b.figures()
	for _, r := range ranks {
		if c := f.Compare(&g, rank.Of(r).Figure); c != 0 {
			return c, r
		}
	}
	return 0, ByNodeOrder
}

// Add counts a victim in the score of others, but for its violations: its priority, its start
// and what it costs. The top priority is the highest of the victims'. The zero Score, and any
// without victims, is that of nobody.
func (a *Score) Add(priority int32, start time.Time, cost int64) {
	f, first := a.figures(), a.Start
	if f.Add(priority, rank.InstantOf(start), cost) {
		first = start
	}
	*a = Score(f.Score())
	a.Start = first
}

// figures are those of the score.
func (a *Score) figures() rank.Figures { return (*rank.Score)(a).Figures() }
