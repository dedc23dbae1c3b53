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
// 9.1, 12.6.2, 12.8.1 and 13.6.1).
func (d Decider) NobodyOfEqualOrHigherPriorityLeaves(t *testing.T) {
	t.Run("for a pod", func(t *testing.T) {
		d.always(t, func(w *World, a *answer) string {
			for _, c := range a.candidates {
				if broken := w.tooImportant(c.victims); broken != "" {
					return broken
				}
			}
			return ""
		})
	})
	t.Run("for a group", func(t *testing.T) {
		d.alwaysGroups(t, func(w *World, a *groupAnswer) string { return w.tooImportant(a.victims) })
	})
}

func (w *World) tooImportant(victims []*Pod) string {
	asks := w.Asks[0].priority()
	for _, v := range victims {
		switch u := w.unitOf(v); {
		case u.priority >= asks && (w.Taken == "" || v.App != w.Taken):
			return fmt.Sprintf("%s of priority %d has to leave for a pod of priority %d", v.Name, u.priority, asks)
		case w.Spared != "" && v.App == w.Spared:
			return fmt.Sprintf("%s has to leave, though the caller protects the app %s", v.Name, w.Spared)
		}
	}
	return ""
}

// OnlyAPodThatMayPreemptPushesOut holds that nobody leaves for a pod whose policy is Never, or that waits for victims of
// its last preemption, and that no other pod is told that it may not (rules 8.2 to 8.8).
func (d Decider) OnlyAPodThatMayPreemptPushesOut(t *testing.T) {
	d.always(t, func(w *World, a *answer) string {
		why := w.mayNotPreempt()
		switch {
		case why != "" && len(a.plan.Victims) > 0:
			return fmt.Sprintf("%s has to leave for a pod that may not preempt: %s", a.plan.Victims[0].Pod.Name, why)
		case why != "" && a.plan.Ineligible == "":
			return "the pod may preempt, it is said, though it may not: " + why
		case why == "" && a.plan.Ineligible != "":
			return fmt.Sprintf("the pod may not preempt, it is said (%s), though nothing speaks against it", a.plan.Ineligible)
		case why == "" && a.plan.Outcome == preemption.NotEligible:
			return "the outcome is that the pod may not preempt, though nothing speaks against it"
		}
		return ""
	})
}

// mayNotPreempt says why the pod that asks may not preempt, empty if it may.
func (w *World) mayNotPreempt() string {
	asks := &w.Asks[0]
	if asks.Never {
		return "its policy is Never"
	}
	n := w.node(asks.Nominated)
	if n == nil || w.now(n, asks) != curable {
		return ""
	}
	for _, p := range w.on(n.Name) {
		if p.Leaving && w.mayLeave(w.unitOf(p)) {
			return fmt.Sprintf("%s still leaves %s for it", p.Name, n.Name)
		}
	}
	return ""
}

// ThePodFitsOnceTheVictimsAreGone holds that there is room without the victims, and that nobody leaves where there is
// room already (rules 8.1 and 9.3).
func (d Decider) ThePodFitsOnceTheVictimsAreGone(t *testing.T) {
	t.Run("for a pod", func(t *testing.T) {
		d.always(t, func(w *World, a *answer) string {
			asks := &w.Asks[0]
			for _, c := range a.candidates {
				if said := w.answer(c.node, without(w.on(c.node.Name), c.victims), asks); said != takesIt {
					return fmt.Sprintf("once %s are gone, %s %s", names(c.victims), c.node.Name, said)
				}
			}
			for i := range w.Nodes {
				if n := &w.Nodes[i]; w.fits(n, w.on(n.Name), asks) && a.plan.Outcome != preemption.Fits {
					return fmt.Sprintf("%s has room as things are, and the outcome is %q", n.Name, a.plan.Outcome)
				}
			}
			return ""
		})
	})
	t.Run("for a group", func(t *testing.T) {
		d.alwaysGroups(t, func(w *World, a *groupAnswer) string {
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

// NoVictimCouldHaveStayed holds that no unit that leaves could have stayed beside all that stay (rule 9.10). That holds
// because every filter of these worlds is monotone: fewer pods never make less room.
func (d Decider) NoVictimCouldHaveStayed(t *testing.T) {
	t.Run("for a pod", func(t *testing.T) {
		d.always(t, func(w *World, a *answer) string {
			for _, c := range a.candidates {
				for _, v := range c.victims {
					u := w.unitOf(v)
					if w.fits(c.node, without(w.on(c.node.Name), without(c.victims, u.pods)), &w.Asks[0]) {
						return fmt.Sprintf("%s could have stayed on %s beside all who stay", u.name, c.node.Name)
					}
				}
				if len(c.victims) == 0 {
					return c.node.Name + " is a candidate that nobody has to leave"
				}
			}
			return ""
		})
	})
	t.Run("for a group", func(t *testing.T) {
		d.alwaysGroups(t, func(w *World, a *groupAnswer) string {
			for _, v := range a.victims {
				if u := w.unitOf(v); w.unplaced(a, without(a.victims, u.pods)) == nil {
					return fmt.Sprintf("%s could have stayed beside all who stay", u.name)
				}
			}
			return ""
		})
	})
}

// BudgetsComeBackFirstThenImportance holds that those who could leave are put back in one order, and stay if there is
// room beside those put back before them: first who breaks a budget, then the others, each time the most important
// first (rules 9.4 to 9.6, 12.8.3 and 12.9.8).
func (d Decider) BudgetsComeBackFirstThenImportance(t *testing.T) {
	t.Run("for a pod", func(t *testing.T) {
		d.always(t, func(w *World, a *answer) string {
			for _, c := range a.candidates {
				room := func(gone []*Pod) bool {
					return w.fits(c.node, without(w.on(c.node.Name), gone), &w.Asks[0])
				}
				if broken := w.outOfOrder(w.unitsOn(c.node.Name), c.victims, room); broken != "" {
					return c.node.Name + ": " + broken
				}
			}
			return ""
		})
	})
	t.Run("for a group", func(t *testing.T) {
		d.alwaysGroups(t, func(w *World, a *groupAnswer) string {
			if a.plan.Outcome != preemption.Preempts {
				return ""
			}
			room := func(gone []*Pod) bool { return w.unplaced(a, gone) == nil }
			return w.outOfOrder(w.unitsOn(w.nodeNames()...), a.victims, room)
		})
	})
}

func (w *World) nodeNames() (names []string) {
	for _, n := range w.Nodes {
		names = append(names, n.Name)
	}
	return names
}

// outOfOrder goes through the units that may leave in the order in which they are put back, and compares what becomes of
// each with whether there is room for it.
func (w *World) outOfOrder(units []*unit, victims []*Pod, room func(gone []*Pod) bool) string {
	units = slices.DeleteFunc(units, func(u *unit) bool { return !w.mayLeave(u) })
	violated := w.violations(units)
	breaks := func(u *unit) bool {
		return slices.ContainsFunc(u.pods, func(p *Pod) bool { return len(violated[p]) > 0 })
	}
	slices.SortStableFunc(units, func(a, b *unit) int {
		switch {
		case breaks(a) == breaks(b):
			return 0
		case breaks(a):
			return -1
		}
		return 1
	})

	var gone []*Pod
	for _, u := range units {
		gone = append(gone, u.pods...)
	}
	for _, u := range units {
		back := without(gone, u.pods)
		stays, leaves := room(back), slices.Contains(victims, u.pods[0])
		budget := "breaks no budget"
		if breaks(u) {
			budget = "breaks a budget"
		}
		switch {
		case stays && leaves:
			return fmt.Sprintf("%s, which %s, has room beside those who are put back before it, and leaves all the same", u.name, budget)
		case !stays && !leaves:
			return fmt.Sprintf("%s, which %s, has no room beside those who are put back before it, and stays all the same", u.name, budget)
		}
		if stays {
			gone = back
		}
	}
	return ""
}

// without returns the pods that are not among these.
func without(pods, gone []*Pod) []*Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(p *Pod) bool { return slices.Contains(gone, p) })
}

func names(pods []*Pod) string {
	var list []string
	for _, p := range pods {
		list = append(list, p.Name)
	}
	return "[" + strings.Join(list, " ") + "]"
}
