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
	// Workers is the number of goroutines that share a call.
	Workers int
	// Chunk is the number of nodes that each of them takes at a time, 0 for ChunkSize.
	Chunk int
	// Answers is the number of answers of nodes that are remembered for the pods of a group. Below 0
	// none are, and 0 means the usual number.
	Answers int

	// The next fields follow from Config.Victims. Exact is set where the best victims on a node are
	// searched for, and Across where those on other nodes are, too.
	Exact, Across bool
	// Limit bounds the steps of such a search in one call, 0 for the usual bounds.
	Limit int
	// Chooser is the caller's rule that chooses victims, nil without one.
	Chooser *preemption.Chooser

	// The next fields follow from Config.Ranks. order lists what the ranks compare, where there are
	// any (see Order).
	order Order
	// Cost is what a victim costs by the first rank that has a cost, and CostName the name of that
	// rank; nil without one.
	Cost     func(victim *outrank.Pod) int64
	CostName string
	// Whole is set where a rank compares what is only known of whole candidates, so that all
	// candidates are made.
	Whole bool

	// The next fields follow from Config.Budgets. Strict is set where no budget may be violated, and
	// VictimsAlone where the budgets are charged for the victims alone.
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
		t.Ranks = t.ByVariant().Ranks // nil for today's
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

// Order returns what the ranks compare. Without ranks, as in the zero Terms, these are the usual ones.
func (c *Terms) Order() *Order {
	if c.Ranks == nil {
		return &usualOrder
	}
	return &c.order
}

// RuleOf names the caller's rule by which a pod may be taken; empty for lower priority.
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

// Allows reports whether the caller's rules let a pod be a victim of another. Priorities are not
// compared.
func (c *Terms) Allows(preemptor, victim *outrank.Pod) bool {
	if c.Eligibility.Take == nil {
		return true
	}
	_, ok := c.Eligibility.Take(preemptor, victim)
	return ok
}

// mayRefuse reports whether the caller has a rule about which pods may preempt (rule 8.13).
func (c *Terms) mayRefuse() bool { return c.Eligibility.Refuse != nil }

// refusal asks that rule, which is told what chapter 8 says and the status of the nominated node.
func (c *Terms) refusal(pod *outrank.Pod, by preemption.Ineligibility, nominated preemption.Status) preemption.Ineligibility {
	return c.Eligibility.Refuse(pod, by, nominated)
}

// AsksAbout reports whether a rule of the caller has a say about each possible victim.
func (c *Terms) AsksAbout() bool { return c.Eligibility.Take != nil || c.Eligibility.AnyPriority }

// ByVariant returns the rules of the configured variant. They are shared.
func (c *Terms) ByVariant() *variantRules { return &variantTable[c.Variant] }

// Ascending reports whether victims are taken from the least important up.
func (c *Terms) Ascending() bool {
	return c.ByVariant().ascending && !c.Exact
}

// budgetRules returns how victims are charged to budgets. Where budgets are charged for the victims
// alone, they count violations as today, whatever the variant (rule 13.5.5).
func (c *Terms) budgetRules() budgetRules {
	r := c.ByVariant().budgets
	if c.VictimsAlone {
		r.uncharged, r.perBudget = false, false
	}
	return r
}

// EmptySelectors reports whether empty selectors of budgets cover every pod of their namespace.
func (c *Terms) EmptySelectors() bool { return c.ByVariant().budgets.emptySelectors }

// ReadsFirst reports whether the second rank reads the first victim that was found (rule 13.2.3).
// Only victims that are found by putting pods back have such an order.
func (c *Terms) ReadsFirst() bool {
	return c.ByVariant().readsFirst && !c.Exact && !c.VictimsAlone && c.Chooser == nil
}

// UsualRanks are the default ranks, and usualOrder is what they compare. Nobody writes either.
var (
	UsualRanks = preemption.DefaultRanks()
	usualOrder = OrderOf(UsualRanks)
)
