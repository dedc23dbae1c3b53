package preemption

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// DefaultLimit is how many steps the search of [Exact] takes on a node where
// [Policy].Limit says nothing, and DefaultFilterLimit how many where the filters have to be
// asked about one set after the other (rule 13.4.4), or sets do not get worse by each pod
// more, as with two budgets over one pod: that takes longer for each. Half of all nodes take
// a few hundred; one that reaches a limit takes some tenths of a second.
const (
	DefaultLimit       = 2000000
	DefaultFilterLimit = 50000
)

// limit returns the configured limit, for a node whose sets take long or do not.
func (p *Policy) limit(long bool) int {
	switch {
	case p.Limit != 0:
		return p.Limit
	case long:
		return DefaultFilterLimit
	}
	return DefaultLimit
}

// exact reports whether sets of victims are searched for.
func (c *Config) exact() bool { return c.Policy.Victims == Exact && c.Chooser == nil }

// chargesVictims reports whether budgets are charged for the actual victims alone, the
// most important first.
func (c *Config) chargesVictims() bool {
	return c.Chooser != nil || c.Policy.Victims == Exact || c.Policy.Budgets == VictimsAlone && !c.ascending()
}

// chosen reports whether the victims on a node are only found by a dry run, so that
// bounds that hold for any set of victims are all that a search has.
func (c *Config) chosen() bool {
	return c.Chooser != nil || c.Guard != nil || c.Policy.Victims == Exact || c.Policy.Strict || c.Policy.Budgets == VictimsAlone
}

// partial reports whether a node on which all possible victims make room may be no
// candidate all the same, which only its own evaluation tells.
func (c *Config) partial() bool { return c.Chooser != nil || c.Guard != nil || c.Policy.Strict }

// exactProblems returns what does not go with exact victims or strict budgets.
func (c *Config) exactProblems() []outrank.Problem {
	var ps []outrank.Problem
	add := func(field, text string) {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: field, Text: text})
	}
	if c.Policy.Victims == Exact {
		if c.Chooser != nil {
			add("Policy.Victims", "exact, and a chooser finds the victims")
		}
		if len(c.Scorers) > 0 {
			add("Scorers", "exact victims are the best by the policy's ranks, and scorers rank the candidates in their place")
		}
		if len(c.Extenders) > 0 {
			add("Extenders", "they can change victims that are exact")
		}
	}
	if c.Policy.Strict && len(c.Extenders) > 0 {
		add("Extenders", "they can choose victims that violate a budget, and the policy is strict")
	}
	if c.Guard != nil && c.Policy.Victims == Exact {
		add("Guard", "exact victims are not chosen by it")
	}
	if c.Guard != nil && c.Policy.Strict {
		add("Guard", "strict budgets do not go with it")
	}
	return ps
}

// checkGroups refuses what a group of pods is not decided by.
func (c *Config) checkGroups() error {
	var ps []outrank.Problem
	add := func(field, text string) {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: field, Text: text + ", which a group of pods is not decided by"})
	}
	if c.Policy.Victims == Exact {
		add("Policy.Victims", "exact")
	}
	if c.Policy.Strict {
		add("Policy.Strict", "set")
	}
	if c.Policy.Budgets == VictimsAlone {
		add("Policy.Budgets", "victims alone")
	}
	if len(ps) > 0 {
		return fmt.Errorf("preempting by a group: %w", &outrank.InputError{Problems: ps})
	}
	return nil
}

// checkAcross refuses what victims on other nodes are not found by.
func (c *Config) checkAcross() error {
	if c.Guard == nil {
		return nil
	}
	return &outrank.InputError{Problems: []outrank.Problem{{
		Object: "preemption config", Field: "Guard", Text: "victims on several nodes are not chosen by it",
	}}}
}
