package preemption

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Policy is how preemption decides where a caller wants more than a scheduler does. Its
// zero value is what the [Config]'s Variant does: for the zero Variant that of
// kube-scheduler today.
type Policy struct {
	// Disabled means that no pod may preempt (disablePreemption of old
	// schedulers).
	Disabled bool
	// Victims is how victims are found on a node.
	Victims VictimRule
	// Limit is how many steps the search of [Exact] may take on one node; zero means
	// [DefaultLimit] or [DefaultFilterLimit]. Other rules do not look at it.
	Limit int
	// Strict never violates a budget: a node on which that cannot be avoided is no
	// candidate, and its status says so (rules 13.5.1 to 13.5.4).
	Strict bool
	// Budgets is how violations of budgets are counted.
	Budgets BudgetRule
	// Ranks is what candidates are compared by, in this order; nil means those of the
	// Variant, which are [DefaultRanks] for the zero one. The first node wins a tie in all
	// of them.
	Ranks []decision.Rank
	// NominatedInTurn asks the node that the pod is nominated to like any other, and not
	// before all others, as a caller does that filters every node in its turn. Where
	// the pod names its nodes, that shows in what is said of them (rule 7.15.9).
	NominatedInTurn bool
}

// VictimRule is a way to find the victims on a node.
type VictimRule uint8

// The ways to find victims.
const (
	// Reprieve: remove all pods of lower priority, then put back those with
	// which the preemptor still fits (rules 9.3 to 9.6). The simplified variant takes
	// pods, the least important first, until the preemptor fits (rule 13.3.1).
	Reprieve VictimRule = iota
	// Exact: of all sets of possible victims with which the preemptor fits, the best one
	// by the ranks of the policy (group 13.4). Budgets are charged for the victims alone.
	// [Candidate].Certificate says whether it is the best for certain.
	Exact
)

// BudgetRule is a way to count violations.
type BudgetRule uint8

// The ways to count violations.
const (
	// PerVictim: a victim that violates any budget adds one. The variants count in a
	// way of their own (rules 13.2.2 and 13.3.5).
	PerVictim BudgetRule = iota
	// VictimsAlone counts as PerVictim does, and charges budgets for the actual victims
	// alone, the most important first, so that a victim that could leave by itself
	// without a violation never counts as one (rule 13.5.5). Which pods are victims does
	// not change: the order of putting back is that of PerVictim.
	VictimsAlone
)

// problems returns what is wrong with a policy.
func (p *Policy) problems() []outrank.Problem {
	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: field, Text: fmt.Sprintf(format, args...)})
	}
	if p.Victims > Exact {
		add("Policy.Victims", "there is no rule %d", p.Victims)
	}
	if p.Limit < 0 {
		add("Policy.Limit", "%d is negative", p.Limit)
	}
	if p.Budgets > VictimsAlone {
		add("Policy.Budgets", "there is no rule %d", p.Budgets)
	}
	for i, r := range p.Ranks {
		if !rank.Of(r).Configurable() {
			add(fmt.Sprintf("Policy.Ranks[%d]", i), "candidates cannot be compared by %v", r)
		}
	}
	return ps
}

// costByRanks returns what victims cost by the first rank that compares costs, which is Cost
// without such a rank, and whether that rank lacks it.
func (c *Config) costByRanks() (cost rank.Cost, missing bool) {
	for _, r := range c.Policy.Ranks {
		if rule := rank.Of(r); rule.Cost != nil {
			cost = rule.Cost(c.Cost)
			return cost, cost == nil
		}
	}
	return c.Cost, false
}
