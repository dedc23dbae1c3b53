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
