package dryrun

import (
	"github.com/outrank-go/outrank"
)

// Takes returns the rule by which a pod may be a victim of another: that of
// [Config].MayTake. Without one it is empty, and lower priority is asked elsewhere.
func (c *Settings) Takes(preemptor, victim *outrank.Pod) (rule string, ok bool) {
	if c.MayTake == nil {
		return "", false
	}
	rule = c.MayTake(preemptor, victim)
	return rule, rule != ""
}

// CheckForGroups refuses what groups of pods do not preempt by, where ignoring it would
// preempt where the rule says no.
func (c *Settings) CheckForGroups() error {
	if c.MayPreempt == nil {
		return nil
	}
	return &outrank.InputError{Problems: []outrank.Problem{{
		Object: "preemption config", Field: "MayPreempt", Text: "groups of pods do not preempt by it",
	}}}
}

// Allows reports whether the caller's rules let a pod be a victim of another, of whatever
// priority.
func (c *Settings) Allows(preemptor, victim *outrank.Pod) bool {
	if c.MayTake != nil && c.MayTake(preemptor, victim) == "" {
		return false
	}
	return c.MayEvict == nil || c.MayEvict(preemptor, victim)
}

// unranked reports whether pods of any priority may be victims.
func (c *Settings) unranked() bool { return c.MayTake != nil || c.AnyPriority() }
