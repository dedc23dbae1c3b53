package rank

import "fmt"

// The names of kube-scheduler's ranks, in its order (rules 11.2 to 11.6).
const (
	Violations  = "budget-violations"
	TopPriority = "top-priority"
	PrioritySum = "priority-sum"
	Victims     = "victim-count"
	Start       = "start-time"
)

// NodeOrder is what documents say where no rank decides. No rank has that name.
const NodeOrder = "node-order"

// Rule is everything about a rank of kube-scheduler: a new one is one entry. A rank that compares
// what nobody counts yet needs a figure besides (see Figures).
type Rule struct {
	Name string
	// text says what the rank prefers, and won begins a sentence about a candidate that is better
	// by it.
	text, won string
	// Figure is what the rank compares.
	Figure Figure
}

var rules = []Rule{
	{Violations, "fewer budget violations", "Fewer budget violations", ViolationsFigure},
	{TopPriority, "lower priority of the most important victim", "Lower priority of the most important victim", TopFigure},
	{PrioritySum, "lower sum of victim priorities", "Lower sum of victim priorities", SumFigure},
	{Victims, "fewer victims", "Fewer victims", VictimsFigure},
	{Start, "most important victims started later", "Its most important victims started later", StartFigure},
}

// Of returns the rule of a rank of kube-scheduler, nil for any other name.
func Of(name string) *Rule {
	for i := range rules {
		if rules[i].Name == name {
			return &rules[i]
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
