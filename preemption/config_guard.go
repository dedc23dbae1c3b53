package preemption

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// Guard is a rule of the caller about which pods may leave together: a tenant keeps its
// quota, say, or a group takes back no more than it is short of. [Config].MayTake and
// lower priority say of each pod by itself whether it may be a victim. A guard follows
// the pods that are taken away and put back on a node, and says whether those that are
// away may be away together (group 13.6).
//
// It is asked about each node as if nothing else left, so that what it promises holds for
// one decision. A guard that counts the cluster should be a [StatefulFilter] as well: a
// snapshot that it is attached to counts for it, and its Start asks [Snapshot.StateOf].
type Guard interface {
	// Name stands in statuses and errors. It is not empty.
	Name() string
	// Start begins an attempt to place the pod. A nil state means that the guard has
	// nothing to say about this preemptor. An error ends the attempt. Several goroutines
	// may call Start at once.
	Start(preemptor *outrank.Pod, snap *state.Snapshot) (GuardState, error)
}

// GuardState is what a guard knows during one attempt. It begins with nobody away. What
// is called how often, in a decision with P possible victims on a node:
//
//   - Clone once for each of Config.Workers, on the goroutine that called the evaluator.
//   - Remove at most 3 P times for a node, Add and Check at most 3 P times; for the best
//     one as often again, and Rule once for each victim. Everybody who was removed is added
//     again before the next node, so that a state may keep counts for the whole cluster.
//
// Each clone belongs to one worker, whose goroutine alone calls it; the state that Start
// returned is only cloned. Nothing is called after the evaluator's call has returned. The
// answers must depend on who is away alone, not on the order in which they left.
// filtertest.CheckGuard looks whether a guard keeps to that.
type GuardState interface {
	// Remove follows a pod that leaves the node. Add follows its return: it was removed
	// before. Where victims are units (rule 12.8.2), the node may be another one than that
	// on which room is made.
	Remove(victim *outrank.Pod, node *outrank.Node)
	// Add puts a pod back that was removed before.
	Add(victim *outrank.Pod, node *outrank.Node)
	// Check returns whether all that are away may be away together. It must allow that
	// nobody is. A code other than Success means no, and Reasons say why; the rest of the
	// status is filled in.
	Check() decision.Status
	// Rule names the rule by which a pod that is away may be, beside the others that are;
	// empty for the one that [Config].MayTake names. It is asked about victims alone.
	Rule(victim *outrank.Pod) string
	// Clone returns an independent copy.
	Clone() GuardState
}

// takes returns the rule by which a pod may be a victim of another: that of
// [Config].MayTake. Without one it is empty, and lower priority is asked elsewhere.
func (c *Config) takes(preemptor, victim *outrank.Pod) (rule string, ok bool) {
	if c.MayTake == nil {
		return "", false
	}
	rule = c.MayTake(preemptor, victim)
	return rule, rule != ""
}

// checkForGroups refuses what groups of pods do not preempt by, where ignoring it would take
// from somebody what the rule protects, or preempt where the rule says no.
func (c *Config) checkForGroups() error {
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

// allows reports whether the caller's rules let a pod be a victim of another, of whatever
// priority.
func (c *Config) allows(preemptor, victim *outrank.Pod) bool {
	if c.MayTake != nil && c.MayTake(preemptor, victim) == "" {
		return false
	}
	return c.MayEvict == nil || c.MayEvict(preemptor, victim)
}

// unranked reports whether pods of any priority may be victims.
func (c *Config) unranked() bool { return c.MayTake != nil || c.anyPriority() }
