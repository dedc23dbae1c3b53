package rank

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// The names of the built-in ranks, in the order in which kube-scheduler applies them (rules 11.2 to 11.6).
const (
	Violations  = "budget-violations"
	TopPriority = "top-priority"
	PrioritySum = "priority-sum"
	Victims     = "victim-count"
	Start       = "start-time"
)

// NodeOrder appears in documents where no rank decides. No rank has that name.
const NodeOrder = "node-order"

// Rule is everything about a built-in rank except how package preemption counts its figure. A new rank is one
// more entry of the table. It compares one of the Figures, or it adds up what each victim costs. A rank that
// compares something else needs a new Figure first.
type Rule struct {
	Name string
	// text says what the rank prefers.
	text string
	// won begins a sentence about a candidate that is better by the rank.
	won string
	// Figure is the figure that the rank compares; NoFigure for a rank with a Cost.
	Figure Figure
	// Cost returns what the loss of a victim costs, as the caller's Rank.Cost; nil for a rank with a Figure.
	Cost func(victim *outrank.Pod) int64
}

// builtIn has the rules of all built-in ranks, in the order of kube-scheduler.
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

// All returns the rules of all built-in ranks. The slice is the caller's.
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

// FigureOf returns the figure that a built-in rank compares. It is NoFigure for a built-in rank with a Cost,
// and for any other name.
func FigureOf(name string) Figure {
	if rule := Of(name); rule != nil {
		return rule.Figure
	}
	return NoFigure
}

// Text says what a rank prefers. For no name, and for NodeOrder, it says how a choice is made that no rank
// decides.
func Text(name string) string {
	if name == "" || name == NodeOrder {
		return "equal in every rank; first in node order"
	}
	if rule := Of(name); rule != nil {
		return rule.text
	}
	return fmt.Sprintf("lower %q", name)
}

// Won returns the beginning of a sentence about a candidate that is better by a rank, as "Fewer victims".
// It is empty for no name, and for NodeOrder.
func Won(name string) string {
	if name == "" || name == NodeOrder {
		return ""
	}
	if rule := Of(name); rule != nil {
		return rule.won
	}
	return fmt.Sprintf("Lower %q", name)
}
