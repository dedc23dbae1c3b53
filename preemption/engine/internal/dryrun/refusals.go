package dryrun

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// SharedWorkers is how many goroutines share a call: one where the nodes share a limit.
func (c *Settings) SharedWorkers() int {
	if c.Exact() && c.Policy.CallLimit > 0 {
		return 1
	}
	return max(1, c.Workers)
}

// Exact reports whether sets of victims are searched for.
func (c *Settings) Exact() bool { return c.Policy.Exact && c.Chooser == nil }

// ChargesVictims reports whether budgets are charged for the actual victims alone, the
// most important first.
func (c *Settings) ChargesVictims() bool {
	return c.Chooser != nil || c.Policy.Exact || c.Policy.VictimsAlone && !c.Ascending()
}

// Chosen reports whether the victims on a node are only found by a dry run, so that
// bounds that hold for any set of victims are all that a search has.
func (c *Settings) Chosen() bool {
	return c.Chooser != nil || c.Guard != nil || c.Policy.Exact || c.Policy.Strict || c.Policy.VictimsAlone
}

// Partial reports whether a node on which all possible victims make room may be no
// candidate all the same, which only its own evaluation tells.
func (c *Settings) Partial() bool { return c.Chooser != nil || c.Guard != nil || c.Policy.Strict }

// exactProblems returns what does not go with exact victims or strict budgets.
func (c *Settings) exactProblems() []outrank.Problem {
	var ps []outrank.Problem
	add := func(field, text string) {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: field, Text: text})
	}
	if c.Policy.Exact {
		if c.Chooser != nil {
			add("Policy.Exact", "set, and a chooser finds the victims")
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
	if c.Guard != nil && c.Policy.Exact {
		add("Guard", "exact victims are not chosen by it")
	}
	if c.Guard != nil && c.Policy.Strict {
		add("Guard", "strict budgets do not go with it")
	}
	return ps
}

// CheckGroups refuses what a group of pods is not decided by.
func (c *Settings) CheckGroups() error {
	var ps []outrank.Problem
	add := func(field, text string) {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: field, Text: text + ", which a group of pods is not decided by"})
	}
	if c.Policy.Exact {
		add("Policy.Exact", "set")
	}
	if c.Policy.Strict {
		add("Policy.Strict", "set")
	}
	if c.Policy.VictimsAlone {
		add("Policy.VictimsAlone", "set")
	}
	if len(ps) > 0 {
		return fmt.Errorf("preempting by a group: %w", &outrank.InputError{Problems: ps})
	}
	if c.MayPreempt == nil {
		return nil
	}
	// Ignoring it would preempt where the rule says no.
	return &outrank.InputError{Problems: []outrank.Problem{{
		Object: "preemption config", Field: "MayPreempt", Text: "groups of pods do not preempt by it",
	}}}
}

// CheckAcross refuses what victims on other nodes are not found by.
func (c *Settings) CheckAcross() error {
	if c.Guard == nil {
		return nil
	}
	return &outrank.InputError{Problems: []outrank.Problem{{
		Object: "preemption config", Field: "Guard", Text: "victims on several nodes are not chosen by it",
	}}}
}
