package invariants

import (
	"fmt"
	"slices"
	"testing"

	"github.com/outrank-go/outrank/preemption"
)

// ABudgetIsBrokenOnlyBeyondWhatItAllows holds that the victims break the budgets which they are said to break, and no
// more violations are counted than victims that break one: a budget is charged for all that could leave, by importance
// (rules 6.3.1 to 6.3.8, 9.7 and 12.8.4).
func (d Decider) ABudgetIsBrokenOnlyBeyondWhatItAllows(t *testing.T) {
	d.always(t, func(w *World, a *answer) string {
		for _, c := range a.candidates {
			violated := w.violations(slices.DeleteFunc(w.unitsOn(c.node.Name), func(u *unit) bool { return !w.mayLeave(u) }))
			count := 0
			for _, v := range c.victims {
				if len(violated[v]) > 0 {
					count++
				}
				if !slices.Equal(violated[v], c.violated[v]) {
					return fmt.Sprintf("%s is said to break %q when it leaves %s, and breaks %q", v.Name, c.violated[v], c.node.Name, violated[v])
				}
			}
			if count != c.violations {
				return fmt.Sprintf("%d violations are counted on %s, and there are %d", c.violations, c.node.Name, count)
			}
		}
		return ""
	})
}

// NoCandidateIsBetterByTheRanks holds that no candidate breaks fewer budgets than the one that is chosen; that of those
// which break as few none has a less important top victim; and so on through the ranks, of which the last is the order
// of the nodes (chapter 11).
func (d Decider) NoCandidateIsBetterByTheRanks(t *testing.T) {
	d.always(t, func(w *World, a *answer) string {
		for i := 1; i < len(a.candidates); i++ {
			better, worse := a.candidates[i-1], a.candidates[i]
			one, other := w.price(better), w.price(worse)
			for k, rank := range ranks {
				if one[k] < other[k] {
					break
				}
				if one[k] > other[k] {
					return fmt.Sprintf("%s comes before %s, whose %s is better: %d and not %d, with %s and %s",
						better.node.Name, worse.node.Name, rank, other[k], one[k], names(worse.victims), names(better.victims))
				}
			}
		}
		return ""
	})
}

// ranks are the figures of a price, each the better the smaller it is.
var ranks = []string{"number of violations", "top priority", "sum of priorities", "number of victims", "start, in minutes before now", "place among the nodes"}

// price sums up what the ranks compare.
func (w *World) price(c choice) []int64 {
	place := slices.IndexFunc(w.Nodes, func(n Node) bool { return n.Name == c.node.Name })
	top, sum, longest := int64(c.victims[0].priority()), int64(0), int64(0)
	for _, v := range c.victims {
		sum += int64(v.priority()) + 1<<31
		top = max(top, int64(v.priority()))
	}
	for _, v := range c.victims {
		if int64(v.priority()) == top {
			longest = max(longest, v.Started)
		}
	}

	violations := 0
	violated := w.violations(slices.DeleteFunc(w.unitsOn(c.node.Name), func(u *unit) bool { return !w.mayLeave(u) }))
	for _, v := range c.victims {
		if len(violated[v]) > 0 {
			violations++
		}
	}
	return []int64{int64(violations), top, sum, int64(len(c.victims)), longest, int64(place)}
}

// ANodeIsRefusedOnlyIfNobodyCanHelp holds that each node that the pod could run on without all who may leave is a
// candidate, and one of them is chosen unless the pod fits or may not preempt (rules 9.1 to 9.3).
func (d Decider) ANodeIsRefusedOnlyIfNobodyCanHelp(t *testing.T) {
	d.always(t, func(w *World, a *answer) string {
		asks := &w.Asks[0]
		for i := range w.Nodes {
			n := &w.Nodes[i]
			there := w.on(n.Name)
			if w.now(n, asks) == takesIt {
				continue
			}
			var gone []*Pod
			for _, u := range w.unitsOn(n.Name) {
				if w.mayLeave(u) {
					gone = append(gone, u.pods...)
				}
			}
			helps := len(gone) > 0 && w.fits(n, without(there, gone), asks)
			listed := slices.ContainsFunc(a.candidates, func(c choice) bool { return c.node == n })
			switch {
			case helps && !listed:
				return fmt.Sprintf("%s is no candidate, but would have room without %s", n.Name, names(gone))
			case !helps && listed:
				return fmt.Sprintf("%s is a candidate, but would have no room without %s", n.Name, names(gone))
			case helps && a.plan.Outcome == preemption.NothingHelps:
				return fmt.Sprintf("nothing helps, it is said, but %s would have room without %s", n.Name, names(gone))
			}
		}
		return ""
	})
}

// NominatedPodsKeepTheirRoom holds that pods of the same or a higher priority that wait for a node have room there beside
// the pod that asks: nobody takes the room that was made for them (rules 7.16.1 and 7.16.2).
func (d Decider) NominatedPodsKeepTheirRoom(t *testing.T) {
	keep := func(w *World, n *Node, there []*Pod, asks *Pod) string {
		with := w.nominated(n.Name, asks)
		if said := w.answer(n, slices.Concat(there, with), asks); len(with) > 0 && said != takesIt {
			return fmt.Sprintf("%s takes room on %s that is kept for %s: beside these it %s", asks.Name, n.Name, names(with), said)
		}
		return ""
	}
	t.Run("for a pod", func(t *testing.T) {
		d.always(t, func(w *World, a *answer) string {
			asks := &w.Asks[0]
			for _, c := range a.candidates {
				if broken := keep(w, c.node, without(w.on(c.node.Name), c.victims), asks); broken != "" {
					return broken
				}
			}
			if n := w.node(a.plan.FirstFit); n != nil {
				return keep(w, n, w.on(n.Name), asks)
			}
			return ""
		})
	})
	t.Run("for a group", func(t *testing.T) {
		d.alwaysGroups(t, func(w *World, a *groupAnswer) string {
			for i, at := range a.placed {
				there := without(w.on(at.node.Name), a.victims)
				for _, before := range a.placed[:i] {
					if before.node == at.node {
						there = append(there, before.pod)
					}
				}
				if broken := keep(w, at.node, there, at.pod); broken != "" {
					return broken
				}
			}
			return ""
		})
	})
}
