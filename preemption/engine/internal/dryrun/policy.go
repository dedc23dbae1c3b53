package dryrun

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// policyProblems returns what is wrong with a policy.
func policyProblems(p *preemption.Policy) []outrank.Problem {
	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: field, Text: fmt.Sprintf(format, args...)})
	}
	if p.Limit < 0 {
		add("Policy.Limit", "%d is negative", p.Limit)
	}
	if p.CallLimit < 0 {
		add("Policy.CallLimit", "%d is negative", p.CallLimit)
	}
	for i, r := range p.Ranks {
		if !rank.Of(r).Configurable() {
			add(fmt.Sprintf("Policy.Ranks[%d]", i), "candidates cannot be compared by %v", r)
		}
	}
	return ps
}

// CostByRanks returns what victims cost by the first rank that compares costs, which is Cost
// without such a rank, and whether that rank lacks it.
func (c *Settings) CostByRanks() (cost rank.Cost, missing bool) {
	for _, r := range c.Policy.Ranks {
		if rule := rank.Of(r); rule.Cost != nil {
			cost = rule.Cost(c.Cost)
			return cost, cost == nil
		}
	}
	return c.Cost, false
}

// UsualRanks are the default ones, which nobody writes.
var UsualRanks = preemption.DefaultRanks()
