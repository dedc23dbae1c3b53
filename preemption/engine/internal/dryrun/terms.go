package dryrun

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Terms is a configuration with what follows from it. It never changes once it is in use.
type Terms struct {
	preemption.Config
	// Workers is the number of goroutines that share a call.
	Workers int
	// Chunk is the number of nodes that a worker takes at a time, 0 for ChunkSize.
	Chunk int
	// Answers is the number of nodes' answers that are remembered while a group is placed. 0 stands for the
	// default, and a negative number for none.
	Answers int

	// The next fields follow from Config.Victims. Exact is set if the best victims on a node are searched
	// for, and Across if victims on other nodes are included in the search.
	Exact, Across bool
	// Limit bounds the steps of such a search in one call, 0 for the default bounds.
	Limit int
	// Chooser is the caller's rule that chooses victims, nil if there is none.
	Chooser *preemption.Chooser

	// The next fields follow from Config.Ranks. order lists the figures that the ranks compare; it is read
	// only if there are ranks (see the method Order).
	order Order
	// Cost is the Cost of the first rank that has one, and CostName the name of that rank. Cost is nil if no
	// rank has one.
	Cost     func(victim *outrank.Pod) int64
	CostName string
	// Whole is set if a rank compares something that only a whole candidate tells, so that all candidates
	// have to be built.
	Whole bool

	// The next fields follow from Config.Budgets. Strict is set if no budget may be violated, and
	// VictimsAlone if the budgets are charged for the actual victims alone.
	Strict, VictimsAlone bool

	// Disabled is set if no pod may preempt, because the profile turns DefaultPreemption off.
	Disabled bool
}

// TermsOf returns the terms of a valid configuration, of which they hold a copy.
func TermsOf(c preemption.Config) Terms {
	c = CopyOf(c)
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
		t.Ranks = t.ByVariant().Ranks // nil without a variant
	}
	t.readRanks()
	return t
}

// CopyOf copies a configuration and its slices, and fills in the Cost of built-in ranks that compare costs.
func CopyOf(c preemption.Config) preemption.Config {
	c.Filters, c.Extenders, c.Ranks = slices.Clone(c.Filters), slices.Clone(c.Extenders), slices.Clone(c.Ranks)
	c.Profile = filters.CloneProfile(&c.Profile)
	for i := range c.Ranks {
		if rule := rank.Of(c.Ranks[i].Name); rule != nil {
			c.Ranks[i].Cost = rule.Cost
		}
	}
	return c
}

// readRanks sets the fields that follow from the ranks.
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

// Order returns the figures that the ranks compare. Without ranks, as in the zero Terms, they are those of
// the default ranks.
func (c *Terms) Order() *Order {
	if c.Ranks == nil {
		return &usualOrder
	}
	return &c.order
}

// RuleOf returns the name of the caller's rule by which a pod may be taken. It is empty if the priority alone
// decides.
func (c *Terms) RuleOf(preemptor, victim *outrank.Pod) (rule string) {
	if c.Eligibility.Take != nil {
		rule, _ = c.Eligibility.Take(preemptor, victim)
	}
	return rule
}

// OfAnyPriority reports whether a pod may be a victim regardless of its priority.
func (c *Terms) OfAnyPriority(p *state.PodState) bool {
	return c.Eligibility.AnyPriority || c.ByVariant().TakesUnprioritized && p.Pod.Priority == nil
}

// Allows reports whether the caller's rule Eligibility.Take lets a pod be a victim. It does not compare
// priorities.
func (c *Terms) Allows(preemptor, victim *outrank.Pod) bool {
	if c.Eligibility.Take == nil {
		return true
	}
	_, ok := c.Eligibility.Take(preemptor, victim)
	return ok
}

// mayRefuse reports whether the caller has a rule about which pods may preempt (rule 8.13).
func (c *Terms) mayRefuse() bool { return c.Eligibility.Refuse != nil }

// refusal asks that rule. by is the result of chapter 8, and nominated the status of the nominated node.
func (c *Terms) refusal(pod *outrank.Pod, by preemption.Ineligibility, nominated preemption.Status) preemption.Ineligibility {
	return c.Eligibility.Refuse(pod, by, nominated)
}

// AsksAbout reports whether the configuration changes which pods are possible victims.
func (c *Terms) AsksAbout() bool { return c.Eligibility.Take != nil || c.Eligibility.AnyPriority }

// ByVariant returns the rules of the configured variant, which are only to be read.
func (c *Terms) ByVariant() *variantRules { return &variantTable[c.Variant] }

// Ascending reports whether victims are taken from the least important up.
func (c *Terms) Ascending() bool {
	return c.ByVariant().ascending && !c.Exact
}

// budgetRules returns how victims are charged to budgets. With VictimsAlone violations are counted in the
// standard way, whatever the variant (rule 13.5.5).
func (c *Terms) budgetRules() budgetRules {
	r := c.ByVariant().budgets
	if c.VictimsAlone {
		r.uncharged, r.perBudget = false, false
	}
	return r
}

// EmptySelectors reports whether empty selectors of budgets cover every pod of their namespace.
func (c *Terms) EmptySelectors() bool { return c.ByVariant().budgets.emptySelectors }

// ReadsFirst reports whether the second rank reads the first victim that was found (rule 13.2.3). That
// applies only if victims are found by a reprieve.
func (c *Terms) ReadsFirst() bool {
	return c.ByVariant().readsFirst && !c.Exact && !c.VictimsAlone && c.Chooser == nil
}

// UsualRanks has the default ranks, and usualOrder the figures that they compare. Both are only to be read.
var (
	UsualRanks = preemption.DefaultRanks()
	usualOrder = OrderOf(UsualRanks)
)
