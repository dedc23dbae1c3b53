package dryrun

import (
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Charger charges budgets for pods that leave. All searches use it to decide what a victim adds to the
// violations: which budgets cover it, which of these have already counted it, and how many of them are
// charged. One goroutine uses it at a time.
type Charger struct {
	Budgets *state.BudgetSet
	Ledger  *pdb.Ledger
	// ToFirst is set if the charging of a pod stops at the first budget that it violates.
	ToFirst bool
	rules   budgetRules
	// covering and exhausted are memory for lists that methods return.
	covering, exhausted []int32
}

// ChargerToFirst returns a charger for the victims of groups: the charging of each pod stops at the first
// budget that it violates (rule 12.9.10).
func ChargerToFirst(budgets *state.BudgetSet) *Charger {
	return &Charger{Budgets: budgets, Ledger: budgets.Ledger(false), ToFirst: true}
}

// begin prepares a charger for an attempt, in the memory of an earlier one.
func (c *Charger) begin(a *Attempt) {
	rules := a.Config.budgetRules()
	snap := a.Snap

	// A ledger has nothing charged between attempts, so that it can be reused while the budgets are the same.
	if c.Budgets != snap.BudgetSet || c.rules.countsTwice != rules.countsTwice {
		c.Budgets = snap.BudgetSet
		c.Ledger = c.Budgets.Ledger(rules.countsTwice)
	}
	c.rules, c.ToFirst = rules, a.StopsAtFirst()
}

// StopsAtFirst reports whether the charging of a pod stops at the first budget that it violates (rules 6.3.6
// and 6.3.8). If every violated budget counts, all are charged.
func (a *Attempt) StopsAtFirst() bool {
	rules, asked := a.Config.budgetRules(), &a.Asked
	return asked.Rules.BudgetsStopAtFirst && !rules.uncharged && !rules.perBudget
}

// Charge charges the budgets that cover a pod for its loss, and lists the ones that this violates (group 6.3;
// filterPodsWithPDBViolation). The list is valid until the next call.
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

// Reset takes back all charges.
func (c *Charger) Reset() { c.Ledger.Reset() }

// Violations returns what a victim that violates some budgets adds to the violations of a candidate:
// one (rule 9.7), or one for each of the budgets (rule 13.3.5).
func (c *Charger) Violations(broken int) int {
	if c.rules.perBudget {
		return broken
	}
	return min(1, broken)
}

// ViolationsOf counts the violations of these victims, with the budgets charged for them alone, in their
// order.
func (c *Charger) ViolationsOf(victims []*state.PodState) (count int) {
	for _, p := range victims {
		count += c.Violations(len(c.Charge(p)))
	}
	c.Reset()
	return count
}

// coveringAny lists the budgets that cover a pod if empty selectors match and pods without labels can be
// covered (rule 13.3.6).
func (c *Charger) coveringAny(p *state.PodState) []int32 {
	c.covering = c.covering[:0]
	for i, b := range c.Budgets.List {
		if b != nil && b.NamespaceName() == p.Pod.NamespaceName() && b.Selector.Matches(p.Pod.Labels) {
			c.covering = append(c.covering, int32(i))
		}
	}
	return c.covering
}

// exhaustedOf lists those of the budgets that allow no disruption at all, whatever was charged (rule 13.2.2).
func (c *Charger) exhaustedOf(covering []int32) []int32 {
	c.exhausted = c.exhausted[:0]
	for _, i := range covering {
		if c.Budgets.List[i].DisruptionsAllowed <= 0 {
			c.exhausted = append(c.exhausted, i)
		}
	}
	return c.exhausted
}

// coveredBy lists the budgets that the loss of a pod takes from: those that cover it and have not yet counted
// its disruption (rules 6.3.4 and 13.3.11). The list is valid until the next call.
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
