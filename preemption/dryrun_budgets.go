package preemption

import (
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// charger charges budgets for pods that leave. What a victim adds to the violations is
// decided here for every search: which budgets cover it, which of them have counted it
// already, and how far it is charged. One goroutine uses it at a time.
type charger struct {
	budgets *state.BudgetSet
	ledger  *pdb.Ledger
	// whole: the ledger is of budgets that have counted nobody yet.
	whole bool
	// toFirst: a pod is charged no further than to the first budget that it violates.
	toFirst bool
	// uncharged: budgets are looked at as they stand. anySelector: empty selectors and pods
	// without labels count, too. each: every violated budget adds one.
	uncharged, anySelector, each bool
	// covering and exhausted are the memory of what charge returns.
	covering, exhausted []int32
}

// begin prepares a charger for an attempt. It reuses the memory of an earlier one.
func (c *charger) begin(a *attempt) {
	variant := a.config.variant()
	if whole := variant.countsTwice; c.budgets != a.Snap.BudgetSet || c.whole != whole {
		c.budgets, c.whole, c.ledger = a.Snap.BudgetSet, whole, a.Snap.BudgetSet.Ledger(whole)
	}
	c.uncharged, c.anySelector, c.each = a.config.uncharged(), variant.emptySelectors, a.config.perBudget()
	c.toFirst = a.stopsAtFirst()
}

// stopsAtFirst reports whether a pod is charged no further than to the first budget
// that it violates (rules 6.3.5 and 6.3.8). Where each violation counts by itself, all are.
func (a *attempt) stopsAtFirst() bool {
	return a.Rules.BudgetsStopAtFirst && !a.config.uncharged() && !a.config.perBudget()
}

// charge takes a pod from the budgets that cover it, and lists those that this
// violates (group 6.3; filterPodsWithPDBViolation). The list lasts until the next
// call.
func (c *charger) charge(p *state.PodState) []int32 {
	covering := p.Class.Covering
	if c.anySelector {
		covering = c.coveringAny(p)
	}
	switch {
	case len(covering) == 0:
		return nil
	case c.uncharged:
		return c.exhaustedOf(covering)
	case c.toFirst:
		return c.ledger.ChargeToFirst(p.Pod, covering)
	}
	return c.ledger.Charge(p.Pod, covering)
}

// reset takes all charges back.
func (c *charger) reset() { c.ledger.Reset() }

// violations is what a victim adds to them that violates so many budgets: one, or each.
func (c *charger) violations(broken int) int {
	if c.each {
		return broken
	}
	return min(1, broken)
}

// violationsOf counts the violations of victims that are charged in their order, and of
// nobody else.
func (c *charger) violationsOf(victims []*state.PodState) (count int) {
	for _, p := range victims {
		count += c.violations(len(c.charge(p)))
	}
	c.reset()
	return count
}

// coveringAny lists the budgets that cover a pod where empty selectors and pods
// without labels count (rule 13.3.6).
func (c *charger) coveringAny(p *state.PodState) []int32 {
	c.covering = c.covering[:0]
	for i, b := range c.budgets.List {
		if b != nil && b.NamespaceName() == p.Pod.NamespaceName() && b.Selector.Matches(p.Pod.Labels) {
			c.covering = append(c.covering, int32(i))
		}
	}
	return c.covering
}

// exhaustedOf picks the budgets that allow no disruption as they stand (rule
// 13.2.2).
func (c *charger) exhaustedOf(covering []int32) []int32 {
	c.exhausted = c.exhausted[:0]
	for _, i := range covering {
		if c.budgets.List[i].Allowed <= 0 {
			c.exhausted = append(c.exhausted, i)
		}
	}
	return c.exhausted
}

// coveredBy lists the budgets that losing a pod takes from: those that cover it and have
// not counted it yet (rules 6.3.4 and 13.3.11). The list lasts until the next call.
func (c *charger) coveredBy(p *state.PodState) []int32 {
	covering := p.Class.Covering
	if c.anySelector {
		covering = c.coveringAny(p)
	}
	c.exhausted = c.exhausted[:0]
	for _, b := range covering {
		budget := c.budgets.List[b]
		if budget == nil {
			continue
		}
		if _, counted := budget.Disrupted[p.Pod.Name]; !counted || c.whole {
			c.exhausted = append(c.exhausted, b)
		}
	}
	return c.exhausted
}
