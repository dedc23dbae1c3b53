package invariants

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/outrank-go/outrank/preemption"
)

// NobodyOfEqualOrHigherPriorityLeaves holds that every victim has a lower priority than those who ask, with its group
// where groups count, unless the caller has it taken all the same, and that no rule of the caller's protects it (rules
// 9.1, 12.6.2, 12.8.1, 13.3.3 and 13.6.1).
func (d Decider) NobodyOfEqualOrHigherPriorityLeaves(t *testing.T) {
	both(t, func(t *testing.T) {
		d.always(t, func(w *World, a *answer) string {
			return first(a.all(), func(c choice) string {
				if broken := w.tooImportant(c.victims); broken != "" {
					return broken
				}
				return w.misjudged(c)
			})
		})
	}, func(t *testing.T) {
		d.alwaysGroups(t, func(w *World, a *groupAnswer) string { return w.tooImportant(a.victims) })
	})
}

func (w *World) tooImportant(victims []*Pod) string {
	asks := w.Asks[0].priority()
	for _, v := range victims {
		switch u := w.unitOf(v); {
		case w.Spared != "" && v.App == w.Spared:
			return fmt.Sprintf("%s has to leave, though the caller protects the app %s", v.Name, w.Spared)
		case w.mayLeave(u):
		case u.priority >= asks:
			return fmt.Sprintf("%s of priority %d has to leave for a pod of priority %d", v.Name, u.priority, asks)
		default:
			return fmt.Sprintf("%s has to leave, and a pod that would leave with it may not", v.Name)
		}
	}
	return ""
}

// misjudged says which victim counts with another priority than is said, or by another rule of the caller's.
func (w *World) misjudged(c choice) string {
	rule := ""
	if w.Taken != "" {
		rule = takenRule
	}
	for _, v := range c.victims {
		switch u, said := w.unitOf(v), c.reasons[v]; {
		case said.Priority != u.priority:
			return fmt.Sprintf("%s is said to count with the priority %d, and counts with %d", v.Name, said.Priority, u.priority)
		case said.Rule != rule:
			return fmt.Sprintf("%s is said to leave by the rule %q, and leaves by %q", v.Name, said.Rule, rule)
		}
	}
	return ""
}

// first returns what is broken about the first of some choices that something is broken about, empty if nothing is.
func first(all []choice, judge func(c choice) string) string {
	for _, c := range all {
		if broken := judge(c); broken != "" {
			return broken
		}
	}
	return ""
}

// OnlyAPodThatMayPreemptPushesOut holds that nobody leaves for a pod whose policy is Never, or that waits for victims of
// its last preemption, and that no other pod is told that it may not (rules 8.2 to 8.8, 8.13, 13.1.5, 13.2.4, 13.2.5,
// 13.3.7 and 13.3.15).
func (d Decider) OnlyAPodThatMayPreemptPushesOut(t *testing.T) {
	d.always(t, func(w *World, a *answer) string {
		why := w.mayNotPreempt()
		for _, plan := range []*preemption.Plan{a.plan, a.explained} {
			switch {
			case why != "" && len(plan.Victims) > 0:
				return fmt.Sprintf("%s has to leave for a pod that may not preempt: %s", plan.Victims[0].Pod.Name, why)
			case why != "" && plan.Ineligible == "":
				return "the pod may preempt, it is said, though it may not: " + why
			case why == "" && plan.Ineligible != "":
				return fmt.Sprintf("the pod may not preempt, it is said (%s), though nothing speaks against it", plan.Ineligible)
			case why == "" && plan.Outcome == preemption.NotEligible:
				return "the outcome is that the pod may not preempt, though nothing speaks against it"
			}
		}
		return ""
	})
}

// mayNotPreempt says why the pod that asks may not preempt, empty if it may. A rule of the caller's has the last word.
func (w *World) mayNotPreempt() string {
	n := w.node(w.Asks[0].Nominated)
	switch {
	case w.Policy == disabled:
		return "preemption is switched off"
	case w.Refuses && n != nil && w.now(n).code == preemption.Unschedulable:
		return ownRefusal
	case w.Asks[0].Unset && w.Policy == simplified:
		return "it has no priority"
	case w.Asks[0].Never && w.Policy != v113:
		return "its policy is Never"
	}
	return w.waitsFor(n)
}

// waitsFor says what a pod waits for that is nominated to a node, which is nil if there is none of that name; empty for
// nothing.
func (w *World) waitsFor(n *Node) string {
	asks := &w.Asks[0]
	switch {
	case asks.Nominated == "":
		return ""
	case w.Policy == simplified:
		if n == nil || w.now(n).code != preemption.UnschedulableAndUnresolvable {
			return "it is nominated to " + asks.Nominated
		}
		return ""
	case n == nil, w.Policy != v113 && w.now(n).code != preemption.Unschedulable:
		return ""
	}
	for _, p := range w.on(n.Name) {
		if p.Leaving != "" && (p.Leaving == byPreemption || w.Policy == v113) && w.mayLeave(w.unitOf(p)) {
			return fmt.Sprintf("%s still leaves %s for it", p.Name, n.Name)
		}
	}
	return ""
}

// ThePodFitsOnceTheVictimsAreGone holds that there is room without the victims, and that nobody leaves where there is
// room already (rules 8.1 and 9.3).
func (d Decider) ThePodFitsOnceTheVictimsAreGone(t *testing.T) {
	both(t, func(t *testing.T) {
		d.always(t, func(w *World, a *answer) string {
			if broken := first(a.all(), w.noRoom); broken != "" {
				return broken
			}
			for i := range w.Nodes {
				if n := &w.Nodes[i]; w.now(n) == takesIt && a.plan.Outcome != preemption.Fits {
					return fmt.Sprintf("%s has room as things are, and the outcome is %q", n.Name, a.plan.Outcome)
				}
			}
			return ""
		})
	}, func(t *testing.T) {
		d.alwaysGroupAnswers(t, func(w *World, a *groupAnswer, err error) string {
			if err != nil {
				return fmt.Sprintf("the group has no answer, but the error %q", err)
			}
			if len(a.placed) > 0 && len(a.placed) < len(w.Asks) {
				return fmt.Sprintf("%d of %d pods of the group have places, and all need one", len(a.placed), len(w.Asks))
			}
			if p := w.unplaced(a, a.victims); p != nil {
				return fmt.Sprintf("once %s are gone, there is no room for %s on its node", names(a.victims), p.Name)
			}
			return ""
		})
	})
}

func (w *World) noRoom(c choice) string {
	if said := w.onceGone(c.node, c.victims); said != takesIt {
		return fmt.Sprintf("once %s are gone, the answer of %s is: %s", names(c.victims), c.node.Name, said)
	}
	return ""
}

// unplaced returns the first pod of a group that has no room on its node once these are gone, beside those of the group
// that were placed before it; nil if each has.
func (w *World) unplaced(a *groupAnswer, gone []*Pod) *Pod {
	var before []*Pod
	for i, at := range a.placed {
		here := without(w.on(at.node.Name), gone)
		for k := range before {
			if a.placed[k].node == at.node {
				here = append(here, before[k])
			}
		}
		if !w.fits(at.node, here, at.pod) {
			return at.pod
		}
		before = append(before, a.placed[i].pod)
	}
	return nil
}

func names(pods []*Pod) string {
	var list []string
	for _, p := range pods {
		list = append(list, p.Name)
	}
	return "[" + strings.Join(list, " ") + "]"
}

// nodeNames are the names of all nodes.
func (w *World) nodeNames() (names []string) {
	for _, n := range w.Nodes {
		names = append(names, n.Name)
	}
	return names
}

// leaves reports whether a unit is among the victims.
func leaves(victims []*Pod, u *unit) bool { return slices.Contains(victims, u.pods[0]) }
