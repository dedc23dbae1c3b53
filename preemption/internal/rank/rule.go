package rank

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// The names of the built-in ranks: those of kube-scheduler, in its order (rules 11.2 to 11.6).
const (
	Violations  = "budget-violations"
	TopPriority = "top-priority"
	PrioritySum = "priority-sum"
	Victims     = "victim-count"
	Start       = "start-time"
)

// NodeOrder is what documents say where no rank decides. No rank has that name.
const NodeOrder = "node-order"

// Rule is everything about a built-in rank but the book's count of its figure: a new one is one entry.
// It compares one of the figures, or adds up what each victim costs, which is a figure of its own beside
// those of other costs. A rank that compares what nobody counts yet needs a figure besides (see
// Figures).
type Rule struct {
	Name string
	// text says what the rank prefers, and won begins a sentence about a candidate that is better
	// by it.
	text, won string
	// Figure is what the rank compares; NoFigure for one with a Cost.
	Figure Figure
	// Cost is what the loss of a victim costs, as the caller's Rank.Cost; nil for one with a Figure.
	Cost func(victim *outrank.Pod) int64
}

// builtIn has all of them.
var builtIn = []Rule{
	{Name: Violations, Figure: ViolationsFigure, text: "fewer budget violations", won: "Fewer budget violations"},
	{
		Name: TopPriority, Figure: TopFigure,
		text: "lower priority of the most important victim", won: "Lower priority of the most important victim",
	},
	{Name: PrioritySum, Figure: SumFigure, text: "lower sum of victim priorities", won: "Lower sum of victim priorities"},
	{Name: Victims, Figure: VictimsFigure, text: "fewer victims", won: "Fewer victims"},
	{
		Name: Start, Figure: StartFigure,
		text: "most important victims started later", won: "Its most important victims started later",
	},
}

// All returns the rules of all built-in ranks.
func All() []Rule { return slices.Clone(builtIn) }

// Of returns the rule of a built-in rank, nil for any other name.
func Of(name string) *Rule {
	for i := range builtIn {
		if builtIn[i].Name == name {
			return &builtIn[i]
		}
	}
	return nil
}

// FigureOf returns what a rank of kube-scheduler compares, NoFigure for any other name.
func FigureOf(name string) Figure {
	if rule := Of(name); rule != nil {
		return rule.Figure
	}
	return NoFigure
}

// Text says what a rank prefers; of no rank, by what a choice is made that no rank decides.
func Text(name string) string {
	if name == "" || name == NodeOrder {
		return "equal in every rank; first in node order"
	}
	if rule := Of(name); rule != nil {
		return rule.text
	}
	return fmt.Sprintf("lower %q", name)
}

// Won begins a sentence about a candidate that is better by a rank, such as "Fewer victims". It is
// empty for no rank.
func Won(name string) string {
	if name == "" || name == NodeOrder {
		return ""
	}
	if rule := Of(name); rule != nil {
		return rule.won
	}
	return fmt.Sprintf("Lower %q", name)
}
