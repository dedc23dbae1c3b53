package dryrun

import (
	"github.com/outrank-go/outrank"
)

// takes returns the rule by which a pod may be a victim of another: that of
// [Config].MayTake. Without one it is empty, and lower priority is asked elsewhere.
func (c *Settings) takes(preemptor, victim *outrank.Pod) (rule string, ok bool) {
	if c.MayTake == nil {
		return "", false
	}
	rule = c.MayTake(preemptor, victim)
	return rule, rule != ""
}

// CheckForGroups refuses what groups of pods do not preempt by, where ignoring it would take
// from somebody what the rule protects, or preempt where the rule says no.
func (c *Settings) CheckForGroups() error {
	var ps []outrank.Problem
	for _, x := range []struct {
		field string
		set   bool
	}{{"MayPreempt", c.MayPreempt != nil}, {"MayTake", c.MayTake != nil}, {"Guard", c.Guard != nil}} {
		if x.set {
			ps = append(ps, outrank.Problem{Object: "preemption config", Field: x.field, Text: "groups of pods do not preempt by it"})
		}
	}
	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
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
