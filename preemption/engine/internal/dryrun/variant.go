package dryrun

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// variantRules says how a variant differs from the present scheduler. The zero value has no differences.
type variantRules struct {
	// waits says how long a nominated pod waits before it preempts again.
	waits waiting
	// budgets says how victims are charged to budgets.
	budgets budgetRules
	// IgnoresNever is set if the preemption policy of pods is ignored (rule 13.2.4).
	IgnoresNever bool
	// needsPriority is set if a pod without a priority may not preempt (rule 13.3.15).
	needsPriority bool
	// triesUnasked is set if preemption is tried on a node for which the caller gave no status (rule
	// 13.2.10).
	triesUnasked bool
	// ascending is set if pods are taken as victims, the least important first, until the preemptor fits, and
	// budgets are charged for them alone, in that order (rules 13.3.1 and 13.3.5).
	ascending bool
	// IgnoresStart is set if ties of priority are settled by namespace and name, and not by start (rule
	// 13.2.1).
	IgnoresStart bool
	// TakesUnprioritized is set if a pod without a priority can be a victim of any preemptor (rule 13.3.3).
	TakesUnprioritized bool
	// FiltersOnce is set if the filters run once, with the nominated pods in place (rule
	// 13.3.2).
	FiltersOnce bool
	// readsFirst is set if the second rank reads the first victim of a list in which those that violate a
	// budget come first (rule 13.2.3).
	readsFirst bool
	// triesTooSmall is set if a node that is too small for the preemptor even when empty is unresolvable only if
	// another filter says so (rule 13.2.15).
	triesTooSmall bool
	// TakesFree is set if a node that takes the preemptor without victims is a candidate, and better than any
	// with victims (rule 13.2.11).
	TakesFree bool
	// clearsAlways is set if nominations are cleared even if all victims are already being deleted (rules
	// 13.2.7 and 13.3.12).
	clearsAlways bool
	// nominatedInTurn is set if the nominated node is asked in its turn, like any other (rule 7.15.9).
	nominatedInTurn bool
	// Ranks has the variant's own ranks, nil for the default ones.
	Ranks []preemption.Rank
}

// waiting says how long a nominated pod waits before it preempts again.
type waiting uint8

const (
	// The zero value: while victims of an earlier preemption leave the nominated node (rule 8.3).
	_ waiting = iota
	// waitsForTerminating: while any pod of lower priority is leaving the nominated node (rule 13.2.5).
	waitsForTerminating
	// waitsWhileNominated: as long as it is nominated, unless removing pods cannot help on that node (rule
	// 13.3.7).
	waitsWhileNominated
)

// budgetRules says how victims are charged to budgets. The zero value is the way of the present scheduler.
type budgetRules struct {
	// uncharged is set if budgets are not charged: a pod violates a covering budget if that allows no
	// disruption, whichever other pods leave (rule 13.2.2).
	uncharged bool
	// perBudget is set if a victim adds a violation for every budget that it violates (rule 13.3.5).
	perBudget bool
	// countsTwice is set if a budget is charged even for a pod whose disruption it has already counted (rule
	// 13.3.11).
	countsTwice bool
	// emptySelectors is set if a budget with an empty selector covers every pod of its namespace, and
	// budgets can cover pods without labels (rule 13.3.6).
	emptySelectors bool
}

// variantTable has the rules of each variant.
var variantTable = [...]variantRules{
	{},
	outrank.VariantV1_13: {
		waits: waitsForTerminating, IgnoresNever: true, triesUnasked: true, triesTooSmall: true, IgnoresStart: true,
		budgets:    budgetRules{uncharged: true},
		readsFirst: true, TakesFree: true, clearsAlways: true, nominatedInTurn: true,
		Ranks: []preemption.Rank{preemption.ByViolations, preemption.ByTopPriority, preemption.ByPrioritySum, preemption.ByVictims},
	},
	outrank.VariantSimplified: {
		waits: waitsWhileNominated, ascending: true, needsPriority: true, TakesUnprioritized: true, FiltersOnce: true, clearsAlways: true,
		budgets: budgetRules{perBudget: true, countsTwice: true, emptySelectors: true},
		Ranks:   []preemption.Rank{preemption.ByViolations, preemption.ByTopPriority, preemption.ByVictims, preemption.ByPrioritySum},
	},
}

// CompareFree compares two candidates by whether they have any victims, if the variant prefers a node without
// victims before it looks at ranks. order is negative if only the first has none. decides is false if both
// have victims, or the variant has no such rule.
func (v *variantRules) CompareFree(victims, others int) (order int, decides bool) {
	if !v.TakesFree || victims > 0 && others > 0 {
		return 0, false
	}
	return min(victims, 1) - min(others, 1), true
}
