package dryrun

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Terms are a configuration with what follows from it, ready for use. They never change.
type Terms struct {
	preemption.Config
	// Workers is how many goroutines share a call, and Chunk how many nodes each takes at a time, 0
	// for ChunkSize. Answers is how many answers of nodes are remembered for the pods of a group, below 0
	// for none and 0 for the usual bound.
	Workers, Chunk, Answers int

	// Of Config.Victims: Exact is set where the best victims on a node are searched for, Across where
	// those on other nodes are, too, and Limit bounds the steps of a call, 0 for the usual bounds.
	// Chooser is the caller's rule, nil without one.
	Exact, Across bool
	Limit         int
	Chooser       *preemption.Chooser

	// Of Config.Ranks: order is what they compare, where there are any (see Order). Cost is what a victim costs by the first of them that
	// says it, of the name CostName; nil without one. Whole is set where a rank compares what is known of
	// whole candidates alone, so that all of them are made.
	order    Order
	Cost     func(victim *outrank.Pod) int64
	CostName string
	Whole    bool

	// Of Config.Budgets: Strict is set where none may be violated, VictimsAlone where they are charged for
	// these.
	Strict, VictimsAlone bool
	// Disabled is set where no pod may preempt.
	Disabled bool
}

// TermsOf returns the terms of a configuration that is valid.
func TermsOf(c preemption.Config) Terms {
	t := Terms{
		Config: c, Strict: c.Budgets == preemption.NeverViolate, VictimsAlone: c.Budgets == preemption.ChargeVictims,
		Disabled: slices.Contains(c.Profile.Off, preemption.DefaultPreemption),
	}
	switch rule := c.Victims.(type) {
	case preemption.Exact:
		t.Exact, t.Limit = true, rule.Limit
	case preemption.Across:
		t.Across, t.Limit = true, rule.Limit
	case preemption.Chooser:
		t.Chooser = &rule
	}
	if t.Ranks == nil {
		t.Ranks = t.ByVariant().Ranks
	}
	t.readRanks()
	return t
}

// readRanks finds out what the ranks compare.
func (c *Terms) readRanks() {
	c.order = OrderOf(c.Ranks)
	for i := range c.Ranks {
		r := &c.Ranks[i]
		switch {
		case r.Figure != nil, r.Cost != nil && c.Cost != nil:
			c.Whole = true
		case r.Cost != nil:
			c.Cost, c.CostName = r.Cost, r.Name
		}
	}
}

// Order is what the ranks compare. It is that of the usual ones for the zero Terms, too.
func (c *Terms) Order() *Order {
	if c.Ranks == nil {
		return &usualOrder
	}
	return &c.order
}

// RuleOf names the rule by which a pod may be taken; empty for lower priority.
func (c *Terms) RuleOf(preemptor, victim *outrank.Pod) (rule string) {
	if c.Eligibility.Take != nil {
		rule, _ = c.Eligibility.Take(preemptor, victim)
	}
	return rule
}

// OfAnyPriority reports whether a pod may be a victim whatever its priority is.
func (c *Terms) OfAnyPriority(p *state.PodState) bool {
	return c.Eligibility.AnyPriority || c.ByVariant().TakesUnprioritized && p.Pod.Priority == nil
}

// Allows reports whether the caller's rules let a pod be a victim of another, of whatever
// priority.
func (c *Terms) Allows(preemptor, victim *outrank.Pod) bool {
	if c.Eligibility.Take == nil {
		return true
	}
	_, ok := c.Eligibility.Take(preemptor, victim)
	return ok
}

// AsksAbout reports whether the caller's rules are asked about each possible victim.
func (c *Terms) AsksAbout() bool { return c.Eligibility.Take != nil || c.Eligibility.AnyPriority }

// ByVariant returns the rules of the configured variant. They are shared.
func (c *Terms) ByVariant() *variantRules { return &variantTable[c.Variant] }

// Ascending reports whether victims are taken from the least important up.
func (c *Terms) Ascending() bool {
	return c.ByVariant().ascending && !c.Exact
}

// budgetRules returns how victims are charged to budgets. Where the victims alone are charged, they are
// charged as today.
func (c *Terms) budgetRules() budgetRules {
	r := c.ByVariant().budgets
	if c.VictimsAlone {
		r.uncharged, r.perBudget = false, false
	}
	return r
}

// EmptySelectors reports whether empty selectors of budgets cover every pod of their namespace.
func (c *Terms) EmptySelectors() bool { return c.ByVariant().budgets.emptySelectors }

// ReadsFirst reports whether the second rank reads the first victim that was found. Victims
// that are found in another way than by putting back have no such order.
func (c *Terms) ReadsFirst() bool {
	return c.ByVariant().readsFirst && !c.Exact && !c.VictimsAlone && c.Chooser == nil
}

// UsualRanks are the default ones, which nobody writes, and usualOrder what they compare.
var (
	UsualRanks = preemption.DefaultRanks()
	usualOrder = OrderOf(UsualRanks)
)
