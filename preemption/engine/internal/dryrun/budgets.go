package dryrun

import (
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Charger charges budgets for pods that leave. What a victim adds to the violations is
// decided here for every search: which budgets cover it, which of them have counted it
// already, and how far it is charged. One goroutine uses it at a time.
type Charger struct {
	Budgets *state.BudgetSet
	Ledger  *pdb.Ledger
	// ToFirst is set if a pod is charged no further than to the first budget that it violates.
	ToFirst bool
	rules   budgetRules
	// covering and exhausted are the memory of what charge returns.
	covering, exhausted []int32
}

// ChargerToFirst returns a charger that charges each pod up to the first budget that it violates, as
// those of groups are (rule 12.9.10).
func ChargerToFirst(budgets *state.BudgetSet) *Charger {
	return &Charger{Budgets: budgets, Ledger: budgets.Ledger(false), ToFirst: true}
}

// begin prepares a charger for an attempt. It reuses the memory of an earlier one.
func (c *Charger) begin(a *Attempt) {
	rules, budgets := a.Config.budgetRules(), a.Snap.BudgetSet
	if c.Budgets != budgets || c.rules.countsTwice != rules.countsTwice {
		c.Budgets, c.Ledger = budgets, budgets.Ledger(rules.countsTwice)
	}
	c.rules, c.ToFirst = rules, a.StopsAtFirst()
}

// StopsAtFirst reports whether a pod is charged no further than to the first budget
// that it violates (rules 6.3.5 and 6.3.8). Where each violation counts by itself, all are.
func (a *Attempt) StopsAtFirst() bool {
	rules := a.Config.budgetRules()
	return a.Asked.Rules.BudgetsStopAtFirst && !rules.uncharged && !rules.perBudget
}

// Charge takes a pod from the budgets that cover it, and lists those that this
// violates (group 6.3; filterPodsWithPDBViolation). The list lasts until the next
// call.
func (c *Charger) Charge(p *state.PodState) []int32 {
	covering := p.Class.Covering
	if c.rules.emptySelectors {
		covering = c.coveringAny(p)
	}
	switch {
	case len(covering) == 0:
		return nil
	case c.rules.uncharged:
		return c.exhaustedOf(covering)
	case c.ToFirst:
		return c.Ledger.ChargeToFirst(p.Pod, covering)
	}
	return c.Ledger.Charge(p.Pod, covering)
}

// Reset takes all charges back.
func (c *Charger) Reset() { c.Ledger.Reset() }

// Violations is what a victim adds to them that violates so many budgets: one, or each.
func (c *Charger) Violations(broken int) int {
	if c.rules.perBudget {
		return broken
	}
	return min(1, broken)
}

// ViolationsOf counts the violations of victims that are charged in their order, and of
// nobody else.
func (c *Charger) ViolationsOf(victims []*state.PodState) (count int) {
	for _, p := range victims {
		count += c.Violations(len(c.Charge(p)))
	}
	c.Reset()
	return count
}

// coveringAny lists the budgets that cover a pod where empty selectors and pods
// without labels count (rule 13.3.6).
func (c *Charger) coveringAny(p *state.PodState) []int32 {
	c.covering = c.covering[:0]
	for i, b := range c.Budgets.List {
		if b != nil && b.NamespaceName() == p.Pod.NamespaceName() && b.Selector.Matches(p.Pod.Labels) {
			c.covering = append(c.covering, int32(i))
		}
	}
	return c.covering
}

// exhaustedOf picks the budgets that allow no disruption as they stand (rule
// 13.2.2).
func (c *Charger) exhaustedOf(covering []int32) []int32 {
	c.exhausted = c.exhausted[:0]
	for _, i := range covering {
		if c.Budgets.List[i].DisruptionsAllowed <= 0 {
			c.exhausted = append(c.exhausted, i)
		}
	}
	return c.exhausted
}

// coveredBy lists the budgets that losing a pod takes from: those that cover it and have
// not counted it yet (rules 6.3.4 and 13.3.11). The list lasts until the next call.
func (c *Charger) coveredBy(p *state.PodState) []int32 {
	covering := p.Class.Covering
	if c.rules.emptySelectors {
		covering = c.coveringAny(p)
	}
	c.exhausted = c.exhausted[:0]
	for _, b := range covering {
		budget := c.Budgets.List[b]
		if budget == nil {
			continue
		}
		if _, counted := budget.DisruptedPods[p.Pod.Name]; !counted || c.rules.countsTwice {
			c.exhausted = append(c.exhausted, b)
		}
	}
	return c.exhausted
}
