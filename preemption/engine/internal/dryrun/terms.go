package dryrun

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Terms are a configuration with what follows from it, ready for use. They never change.
type Terms struct {
	preemption.Config
	// Workers is how many goroutines share a call.
	Workers int

	// Of Config.Victims: Exact is set where the best victims on a node are searched for, Across where
	// those on other nodes are, too, and Limit bounds the steps of a call, 0 for the usual bounds.
	// Chooser is the caller's rule, nil without one.
	Exact, Across bool
	Limit         int
	Chooser       *preemption.Chooser

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
	t.Cost = t.CostByRanks()
	return t
}

// RuleOf names the rule by which a pod may be taken; empty for lower priority.
func (c *Terms) RuleOf(preemptor, victim *outrank.Pod) (rule string) {
	if c.Eligibility.Take != nil {
		rule, _ = c.Eligibility.Take(preemptor, victim)
	}
	return rule
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

// CostByRanks returns what victims cost by the first rank that compares costs, which is Cost
// without such a rank.
func (c *Terms) CostByRanks() rank.Cost {
	for _, r := range c.Ranks {
		if rule := rank.Of(r); rule.Cost != nil {
			return rule.Cost(c.Cost)
		}
	}
	return c.Cost
}

// ByVariant returns the rules of the configured variant. They are shared.
func (c *Terms) ByVariant() *variantRules { return &variantTable[c.Variant] }

// Ascending reports whether victims are taken from the least important up.
func (c *Terms) Ascending() bool {
	return c.ByVariant().ascending && !c.Exact
}

// uncharged reports whether budgets are looked at as they stand.
func (c *Terms) uncharged() bool {
	return c.ByVariant().uncharged && !c.VictimsAlone
}

// perBudget reports whether each violated budget counts.
func (c *Terms) perBudget() bool {
	return c.ByVariant().perBudget && !c.VictimsAlone
}

// ReadsFirst reports whether the second rank reads the first victim that was found. Victims
// that are found in another way than by putting back have no such order.
func (c *Terms) ReadsFirst() bool {
	return c.ByVariant().readsFirst && !c.Exact && !c.VictimsAlone && c.Chooser == nil
}

// UsualRanks are the default ones, which nobody writes.
var UsualRanks = preemption.DefaultRanks()
