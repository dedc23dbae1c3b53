package preemption

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
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

// rankRule is everything about a rank: a new rank is one entry. A rank that compares what
// nobody counts yet needs a figure besides (see figures).
type rankRule struct {
	// word stands for the rank in JSON.
	word string
	// text says what the rank prefers.
	text string
	// won begins a sentence about a candidate that is better by the rank.
	won string
	// figure is what the rank compares: noFigure for ranks that a policy cannot name.
	figure figure
	// cost returns what a victim adds to costFigure, nil where the configuration does not
	// say it; byCaller is [Config.Cost]. It is set for ranks that compare that figure.
	cost func(byCaller costRule) costRule
}

// costRule says what the loss of a victim costs.
type costRule = func(victim *outrank.Pod) int64

// rankRules has an entry for each rank.
var rankRules = []rankRule{
	ByViolations: {
		word: "budget-violations", text: "fewer budget violations", won: "Fewer budget violations", figure: violationsFigure,
	},
	ByTopPriority: {
		word: "top-priority", text: "lower priority of the most important victim",
		won: "Lower priority of the most important victim", figure: topFigure,
	},
	ByPrioritySum: {
		word: "priority-sum", text: "lower sum of victim priorities", won: "Lower sum of victim priorities", figure: sumFigure,
	},
	ByVictims: {word: "victim-count", text: "fewer victims", won: "Fewer victims", figure: victimsFigure},
	ByStart: {
		word: "start-time", text: "most important victims started later",
		won: "Its most important victims started later", figure: startFigure,
	},
	ByNodeOrder: {word: "node-order", text: "equal in every rank; first in node order"},
	ByOwnScore: {
		word: "own-score", text: "higher score by the caller's rules", won: "Higher score by the configured scorers",
	},
	ByCost: {
		word: "cost", text: "victims that cost less by the caller's rule", won: "Its victims cost less", figure: costFigure,
		cost: func(byCaller costRule) costRule { return byCaller },
	},
}

// rule returns the rank's entry; that of no rank is empty.
func (r Rank) rule() *rankRule {
	if int(r) < len(rankRules) {
		return &rankRules[r]
	}
	return &rankRules[0]
}

// String returns in words what the rank prefers.
func (r Rank) String() string {
	if text := r.rule().text; text != "" {
		return text
	}
	return fmt.Sprintf("Rank(%d)", uint8(r))
}

// Won begins a sentence about a candidate that is better by the rank, such as "Fewer victims".
// It is empty for [ByNodeOrder] and for what is no rank.
func (r Rank) Won() string { return r.rule().won }

// Gap returns by how much a is better than b by the rank alone: violations, steps of priority,
// the sum of priorities (2^31 for each victim), victims, cost, or nanoseconds of a later start,
// as far as an int64 goes. It is below 0 where a is worse, and 0 for ranks that compare no
// figure of a score.
func (r Rank) Gap(a, b Score) int64 {
	f, g := a.figures(), b.figures()
	return f.gap(&g, r.rule().figure)
}

// configurable reports whether a policy may name the rank.
func (r Rank) configurable() bool { return r.rule().figure != noFigure }

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
	return a.compareBy(&b, ranks)
}

func (a *Score) compareBy(b *Score, ranks []Rank) (order int, by Rank) {
	f, g := a.figures(), b.figures()
	for _, r := range ranks {
		if c := f.compare(&g, r.rule().figure); c != 0 {
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
	if f.add(priority, instantOf(start), cost) {
		first = start
	}
	*a = f.score()
	a.Start = first
}

// figures are those of the score.
func (a *Score) figures() figures {
	return figures{
		violations: a.Violations, top: a.TopPriority, victims: int32(a.Victims), sum: a.PrioritySum,
		start: instantOf(a.Start), cost: a.Cost,
	}
}

// score makes figures public. The start is in UTC.
func (f *figures) score() Score {
	return Score{
		Violations: f.violations, TopPriority: f.top, PrioritySum: f.sum, Victims: int(f.victims),
		Start: f.start.time(), Cost: f.cost,
	}
}
