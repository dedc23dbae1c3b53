package rank

import (
	"time"

	"github.com/outrank-go/outrank"
)

// The numbers of the ranks, in the default order.
const (
	ByViolations = iota + 1
	ByTopPriority
	ByPrioritySum
	ByVictims
	ByStart
	ByNodeOrder
	ByOwnScore
	ByCost
)

// Rule is everything about a rank: a new rank is one entry. A rank that compares what
// nobody counts yet needs a figure besides (see figures).
type Rule struct {
	// Word stands for the rank in JSON.
	Word string
	// Text says what the rank prefers.
	Text string
	// Won begins a sentence about a candidate that is better by the rank.
	Won string
	// Figure is what the rank compares: NoFigure for ranks that a policy cannot name.
	Figure Figure
	// Cost returns what a victim adds to CostFigure, nil where the configuration does not
	// say it; byCaller is preemption.Config.Cost. It is set for ranks that compare that figure.
	Cost func(byCaller Cost) Cost
}

// Cost says what the loss of a victim costs.
type Cost = func(victim *outrank.Pod) int64

// Rules has an entry for each rank.
var Rules = []Rule{
	ByViolations: {
		Word: "budget-violations", Text: "fewer budget violations", Won: "Fewer budget violations", Figure: ViolationsFigure,
	},
	ByTopPriority: {
		Word: "top-priority", Text: "lower priority of the most important victim",
		Won: "Lower priority of the most important victim", Figure: TopFigure,
	},
	ByPrioritySum: {
		Word: "priority-sum", Text: "lower sum of victim priorities", Won: "Lower sum of victim priorities", Figure: SumFigure,
	},
	ByVictims: {Word: "victim-count", Text: "fewer victims", Won: "Fewer victims", Figure: VictimsFigure},
	ByStart: {
		Word: "start-time", Text: "most important victims started later",
		Won: "Its most important victims started later", Figure: StartFigure,
	},
	ByNodeOrder: {Word: "node-order", Text: "equal in every rank; first in node order"},
	ByOwnScore: {
		Word: "own-score", Text: "higher score by the caller's rules", Won: "Higher score by the configured scorers",
	},
	ByCost: {
		Word: "cost", Text: "victims that cost less by the caller's rule", Won: "Its victims cost less", Figure: CostFigure,
		Cost: func(byCaller Cost) Cost { return byCaller },
	},
}

// Of returns a rank's entry; that of no rank is empty.
func Of[R ~uint8](r R) *Rule {
	if int(r) < len(Rules) {
		return &Rules[r]
	}
	return &Rules[0]
}

// Configurable reports whether a policy may name the rank.
func (r *Rule) Configurable() bool { return r.Figure != NoFigure }

// Score has the fields of the score that users read, so that one is converted to the
// other.
type Score struct {
	Violations  int
	TopPriority int32
	PrioritySum int64
	Victims     int
	Start       time.Time
	Cost        int64
}

// Figures are those of the score.
func (a *Score) Figures() Figures {
	return Figures{
		Violations: a.Violations, Top: a.TopPriority, Victims: int32(a.Victims), Sum: a.PrioritySum,
		Start: InstantOf(a.Start), Cost: a.Cost,
	}
}

// Score makes figures public. The start is in UTC.
func (f *Figures) Score() Score {
	return Score{
		Violations: f.Violations, TopPriority: f.Top, PrioritySum: f.Sum, Victims: int(f.Victims),
		Start: f.Start.Time(), Cost: f.Cost,
	}
}
