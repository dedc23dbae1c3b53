package dryrun

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// SharedWorkers is how many goroutines share a call: one where the nodes share a limit.
func (c *Terms) SharedWorkers() int {
	if c.Exact && c.Limit > 0 {
		return 1
	}
	return max(1, c.Workers)
}

// ChargesVictims reports whether budgets are charged for the actual victims alone, the
// most important first.
func (c *Terms) ChargesVictims() bool {
	return c.Chooser != nil || c.Exact || c.VictimsAlone && !c.Ascending()
}

// Chosen reports whether the victims on a node are only found by a dry run, so that
// bounds that hold for any set of victims are all that a search has.
func (c *Terms) Chosen() bool {
	return c.Chooser != nil || c.Guard != nil || c.Exact || c.Strict || c.VictimsAlone
}

// CheckGroups refuses what a group of pods is not decided by. Ignoring it would preempt where a
// rule says no, or in another way than was asked for.
func (c *Terms) CheckGroups() error {
	var ps []outrank.Problem
	add := func(field, text string) {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: field, Text: text + ", which a group of pods is not decided by"})
	}
	switch {
	case c.Exact || c.Across:
		add("Victims", "the best ones are searched for")
	case c.Chooser != nil:
		add("Victims", "a rule of the caller chooses them")
	}
	if c.Variant != 0 {
		add("Variant", fmt.Sprintf("%v", c.Variant))
	}
	switch c.Budgets {
	case preemption.ChargeVictims:
		add("Budgets", "charged for the victims alone")
	case preemption.NeverViolate:
		add("Budgets", "never violated")
	}
	if c.Eligibility.Refuse != nil {
		add("Eligibility.Refuse", "set")
	}
	if len(ps) > 0 {
		return fmt.Errorf("preempting by a group: %w", &outrank.InputError{Problems: ps})
	}
	return nil
}
