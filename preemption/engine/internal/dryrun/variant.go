package dryrun

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// variantRules say in what a variant differs from today's scheduler. The zero value differs in
// nothing.
type variantRules struct {
	// waits says how long a pod that is nominated to a node does not preempt.
	waits waiting
	// budgets says how victims are charged to budgets.
	budgets budgetRules
	// IgnoresNever is set if there is no preemption policy (rule 13.2.4).
	IgnoresNever bool
	// triesUnasked is set if a node that the caller gave no status for is tried (rule
	// 13.2.10).
	triesUnasked bool
	// ascending is set if pods are taken, the least important first, until the preemptor
	// fits, and budgets are charged for them alone, in that order (rules 13.3.1 and 13.3.5).
	ascending bool
	// IgnoresStart is set if the namespace and then the name settle ties of priority (rule
	// 13.2.1).
	IgnoresStart bool
	// TakesUnprioritized is set if a pod without a priority can be a victim of any (rule
	// 13.3.3).
	TakesUnprioritized bool
	// FiltersOnce is set if the filters run once, with the nominated pods in place (rule
	// 13.3.2).
	FiltersOnce bool
	// readsFirst is set if the second rank reads the first victim, and victims that violate a
	// budget come before the others (rule 13.2.3).
	readsFirst bool
	// TakesFree is set if a node that takes the preemptor with everybody put back is a candidate, and
	// better than any with victims (rule 13.2.11).
	TakesFree bool
	// clearsAlways is set if nominations are cleared also where all victims are being deleted already
	// (rules 13.2.7 and 13.3.12).
	clearsAlways bool
	// nominatedInTurn is set if the nominated node is asked in its turn, like any other (rule 7.15.9).
	nominatedInTurn bool
	// Ranks are the variant's own, nil for the usual ones.
	Ranks []preemption.Rank
}

// waiting says how long a pod that is nominated to a node does not preempt.
type waiting uint8

const (
	// The zero value waits while victims of an earlier preemption leave that node (rule 8.3).
	_ waiting = iota
	// waitsForTerminating waits while any pod of lower priority leaves that node (rule 13.2.5).
	waitsForTerminating
	// waitsWhileNominated waits unless taking pods away cannot help on that node (rule 13.3.7).
	waitsWhileNominated
)

// budgetRules say how victims are charged to budgets. The zero value is what today's scheduler does.
type budgetRules struct {
	// uncharged is set if a pod violates a budget that covers it and allows no disruption, whoever
	// else leaves (rule 13.2.2).
	uncharged bool
	// perBudget is set if a victim adds a violation for every budget that it violates (rule 13.3.5).
	perBudget bool
	// countsTwice is set if a budget is charged also for a pod whose disruption it has counted
	// already (rule 13.3.11).
	countsTwice bool
	// emptySelectors is set if a budget with an empty selector covers every pod of its namespace, and
	// budgets can cover pods without labels (rule 13.3.6).
	emptySelectors bool
}

// variantTable has the rules of each variant.
var variantTable = [...]variantRules{
	{},
	outrank.VariantV1_13: {
		waits: waitsForTerminating, IgnoresNever: true, triesUnasked: true, IgnoresStart: true,
		budgets:    budgetRules{uncharged: true},
		readsFirst: true, TakesFree: true, clearsAlways: true, nominatedInTurn: true,
		Ranks: []preemption.Rank{preemption.ByViolations, preemption.ByTopPriority, preemption.ByPrioritySum, preemption.ByVictims},
	},
	outrank.VariantSimplified: {
		waits: waitsWhileNominated, ascending: true, TakesUnprioritized: true, FiltersOnce: true, clearsAlways: true,
		budgets: budgetRules{perBudget: true, countsTwice: true, emptySelectors: true},
		Ranks:   []preemption.Rank{preemption.ByViolations, preemption.ByTopPriority, preemption.ByVictims, preemption.ByPrioritySum},
	},
}

// CompareFree orders two candidates by their numbers of victims, where the variant prefers a node on
// which nobody leaves before it looks at ranks. order is negative if only the first candidate is such
// a node. CompareFree does not decide where both have victims.
func (v *variantRules) CompareFree(victims, others int) (order int, decides bool) {
	if !v.TakesFree || victims > 0 && others > 0 {
		return 0, false
	}
	return min(victims, 1) - min(others, 1), true
}
