package preemption

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
)

// variantRules are what a variant does in another way than today's scheduler. The zero
// value is today's.
type variantRules struct {
	// waitsForTerminating: a pod waits while any pod of lower priority leaves the node
	// that it is nominated to (rule 13.2.5). waitsWhileNominated: it waits, unless taking
	// pods away cannot help on that node (rule 13.3.7).
	waitsForTerminating, waitsWhileNominated bool
	// ignoresNever: there is no preemption policy (rule 13.2.4).
	ignoresNever bool
	// triesUnasked: a node that the caller gave no status for is tried (rule 13.2.10).
	triesUnasked bool
	// ascending: pods are taken, the least important first, until the preemptor fits, and
	// budgets are charged for them alone, in that order (rules 13.3.1 and 13.3.5).
	ascending bool
	// ignoresStart: the namespace and then the name settle ties of priority (rule 13.2.1).
	ignoresStart bool
	// takesUnprioritized: a pod without a priority can be a victim of any (rule 13.3.3).
	takesUnprioritized bool
	// filtersOnce: the filters run once, with the nominated pods in place (rule 13.3.2).
	filtersOnce bool
	// uncharged: a victim adds a violation if a budget that covers it allows none
	// (rule 13.2.2). perBudget: it adds one for every budget that it violates (rule
	// 13.3.5).
	uncharged, perBudget bool
	// countsTwice: a budget is charged for a pod whose disruption it has counted (rule
	// 13.3.11).
	countsTwice bool
	// emptySelectors: those cover every pod of the namespace (rule 13.3.6).
	emptySelectors bool
	// readsFirst: the second rank reads the first victim, and those that violate a budget
	// come first (rule 13.2.3).
	readsFirst bool
	// takesFree: a node on which nobody has to leave is a candidate, and the best (rule
	// 13.2.11).
	takesFree bool
	// clearsAlways: nominations are cleared also where all victims leave already (rules
	// 13.2.7 and 13.3.12).
	clearsAlways bool
	// nominatedInTurn: the nominated node is asked like any other.
	nominatedInTurn bool
	ranks           []decision.Rank
	// grace is the time that victims get; nil leaves each its own (rule 13.3.8).
	grace *time.Duration
}

var variantTable = [...]variantRules{
	{},
	outrank.VariantV1_13: {
		waitsForTerminating: true, ignoresNever: true, triesUnasked: true, ignoresStart: true, uncharged: true,
		readsFirst: true, takesFree: true, clearsAlways: true, nominatedInTurn: true,
		ranks: []decision.Rank{decision.ByViolations, decision.ByTopPriority, decision.ByPrioritySum, decision.ByVictims},
	},
	outrank.VariantSimplified: {
		waitsWhileNominated: true, ascending: true, takesUnprioritized: true, filtersOnce: true, perBudget: true, countsTwice: true,
		emptySelectors: true, clearsAlways: true,
		ranks: []decision.Rank{decision.ByViolations, decision.ByTopPriority, decision.ByVictims, decision.ByPrioritySum},
		grace: new(time.Duration),
	},
}

// variant returns the rules of the configured variant. They are shared.
func (c *Config) variant() *variantRules { return &variantTable[c.Variant] }

// ascending reports whether victims are taken from the least important up.
func (c *Config) ascending() bool { return c.variant().ascending && c.Policy.Victims == Reprieve }

// uncharged reports whether budgets are looked at as they stand.
func (c *Config) uncharged() bool { return c.variant().uncharged && c.Policy.Budgets == PerVictim }

// perBudget reports whether each violated budget counts.
func (c *Config) perBudget() bool { return c.variant().perBudget && c.Policy.Budgets == PerVictim }

// compareFree orders two candidates, by how many victims each has, where a node on which
// nobody has to leave comes before scorers and ranks: order is negative if the first is such
// a node and the second is not. It decides nothing where both have victims, or where the
// variant has no such rule.
func (v *variantRules) compareFree(victims, others int) (order int, decides bool) {
	if !v.takesFree || victims > 0 && others > 0 {
		return 0, false
	}
	return min(victims, 1) - min(others, 1), true
}

// readsFirst reports whether the second rank reads the first victim that was found. Victims
// that are found in another way than by putting back have no such order.
func (c *Config) readsFirst() bool {
	return c.variant().readsFirst && c.Policy.Victims == Reprieve && c.Policy.Budgets == PerVictim && c.Chooser == nil
}

// grace is the time that the victims of a plan get, nil for their own. It is the caller's.
func (c *Config) grace() *time.Duration {
	if c.variant().grace == nil {
		return nil
	}
	g := *c.variant().grace
	return &g
}
