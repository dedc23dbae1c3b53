package invariants

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/outrank-go/outrank/preemption"
)

// ABudgetIsBrokenOnlyBeyondWhatItAllows holds that the victims break the budgets which they are said to break, and no
// more violations are counted than victims that break one: a budget is charged for all that could leave, by importance
// (rules 6.3.1 to 6.3.8, 9.7, 12.8.4, 13.2.2, 13.3.5 and 13.5.5).
func (d Decider) ABudgetIsBrokenOnlyBeyondWhatItAllows(t *testing.T) {
	d.always(t, func(w *World, a *answer) string { return first(a.all(), w.miscounted) })
}

func (w *World) miscounted(c choice) string {
	violated := w.violated(c)
	for _, v := range c.victims {
		if !slices.Equal(violated[v], c.violated[v]) {
			return fmt.Sprintf("%s is said to break %q when it leaves %s, and breaks %q", v.Name, c.violated[v], c.node.Name, violated[v])
		}
		if w.Policy == strict && len(violated[v]) > 0 {
			return fmt.Sprintf("%s breaks %q when it leaves %s, and no budget may be broken", v.Name, violated[v], c.node.Name)
		}
	}
	if count := w.count(violated, c.victims); count != int64(c.score.Violations) {
		return fmt.Sprintf("%d violations are counted on %s, and there are %d", c.score.Violations, c.node.Name, count)
	}
	return ""
}

// violated says which budgets the victims of a choice break.
func (w *World) violated(c choice) charges {
	return w.breaks(w.letGo(w.possible(w.unitsOn(c.node.Name))), w.unitsOf(c.victims))
}

// NoCandidateIsBetterByTheRanks holds that no candidate breaks fewer budgets than the one that is chosen; that of those
// which break as few none has a less important top victim; and so on through the ranks, of which the last is the order
// of the nodes, or through those of the caller; and that the figures which are compared are told (chapter 11). Where the
// best victims are asked for, no other set of them on the node is better, either (rule 13.4.1).
func (d Decider) NoCandidateIsBetterByTheRanks(t *testing.T) {
	d.always(t, func(w *World, a *answer) string {
		if broken := first(a.all(), w.mistold); broken != "" {
			return broken
		}
		if broken := first(a.all(), w.notExact); broken != "" {
			return broken
		}
		for i := 1; i < len(a.candidates); i++ {
			if broken := w.better(a.candidates[i-1], a.candidates[i]); broken != "" {
				return broken
			}
		}
		return w.chosenWorse(a)
	})
}

// chosenWorse says which candidate is better than the one that is chosen.
func (w *World) chosenWorse(a *answer) string {
	switch {
	case a.explained.Outcome != preemption.Preempts || len(a.candidates) == 0:
		return ""
	case a.chosen == nil:
		return a.candidates[0].node.Name + " is a candidate, and none is chosen"
	case a.chosen.node == a.candidates[0].node:
		return ""
	}
	if broken := w.better(*a.chosen, a.candidates[0]); broken != "" {
		return broken
	}
	return fmt.Sprintf("%s is chosen, but the best candidate is %s", a.chosen.node.Name, a.candidates[0].node.Name)
}

// better says by which rank the worse of two candidates, which comes behind the other, is better.
func (w *World) better(one, other choice) string {
	p, q := w.price(one), w.price(other)
	for k := range p {
		if p[k].figure < q[k].figure {
			return ""
		}
		if p[k].figure > q[k].figure {
			return fmt.Sprintf("%s comes before %s, whose %s is better: %d and not %d, with %s and %s",
				one.node.Name, other.node.Name, p[k].rank, q[k].figure, p[k].figure, names(other.victims), names(one.victims))
		}
	}
	return ""
}

// price is what the ranks compare, each the better the smaller it is.
type price []figure

type figure struct {
	rank   string
	figure int64
}

// price sums up what the ranks compare. A node that nobody has to leave, which only v1.13 has, comes before all others
// (rule 13.2.11).
func (w *World) price(c choice) price {
	var out price
	if w.Policy == v113 {
		out = append(out, figure{"number of victims, none or any,", int64(min(1, len(c.victims)))})
	}
	free := w.Policy == v113 && len(c.victims) == 0
	for _, r := range w.ranks() {
		if !free || r.Prefers != "" {
			out = append(out, figure{r.Name, w.figure(c, r)})
		} else {
			out = append(out, figure{r.Name, 0})
		}
	}
	place := slices.IndexFunc(w.Nodes, func(n Node) bool { return n.Name == c.node.Name })
	return append(out, figure{"place among the nodes", int64(place)})
}

// ranks are those of the caller, or those of the policy (rules 11.2 to 11.6, 13.2.3 and 13.3.4).
func (w *World) ranks() (ranks []Rank) {
	if len(w.Ranks) > 0 {
		return w.Ranks
	}
	names := []string{rankViolations, rankTop, rankSum, rankVictims, rankStart}
	switch w.Policy {
	case v113:
		names = names[:4]
	case simplified:
		names = []string{rankViolations, rankTop, rankVictims, rankSum}
	}
	for _, name := range names {
		ranks = append(ranks, Rank{Name: name})
	}
	return ranks
}

// figure is what a rank compares of a candidate.
func (w *World) figure(c choice, r Rank) (sum int64) {
	switch {
	case r.Prefers == c.node.Name:
		return -1
	case r.Prefers != "":
		return 0
	case r.Name == rankViolations:
		return w.count(w.violated(c), c.victims)
	case r.Name == rankTop:
		return w.top(c)
	case r.Name == rankVictims:
		return int64(len(c.victims))
	case r.Name == rankStart:
		return c.start()
	}
	for _, v := range c.victims {
		switch {
		case r.Name == rankSum:
			sum += int64(v.priority()) + 1<<31
		case v.App == r.Of && r.Each > math.MaxInt64-sum:
			sum = math.MaxInt64
		case v.App == r.Of:
			sum += max(0, r.Each)
		}
	}
	return sum
}

// top is the priority of the most important victim. By v1.13 it is that of the first that was found, and those that break
// a budget are found first (rules 11.3, 12.8.6 and 13.2.3).
func (w *World) top(c choice) int64 {
	units := w.unitsOf(c.victims)
	if w.Policy == v113 {
		violated := w.violated(c)
		if i := slices.IndexFunc(units, violated.any); i >= 0 {
			return int64(units[i].pods[0].priority())
		}
	}
	if len(units) == 0 {
		return 0
	}
	return int64(units[0].pods[0].priority())
}

// start is how many minutes ago the first of those victims started that have the highest priority. One without a start
// has started now (rule 11.6).
func (c *choice) start() int64 {
	if len(c.victims) == 0 {
		return 0
	}
	top, longest := int32(math.MinInt32), int64(math.MinInt64)
	for _, v := range c.victims {
		top = max(top, v.priority())
	}
	for _, v := range c.victims {
		if v.priority() == top {
			longest = max(longest, v.Started)
		}
	}
	return longest
}

// mistold says which figure of a choice is told wrong.
func (w *World) mistold(c choice) string {
	ranks := []Rank{{Name: rankViolations}, {Name: rankTop}, {Name: rankSum}, {Name: rankVictims}, {Name: rankStart}}
	for _, r := range w.Ranks {
		if r.Of != "" || r.Prefers != "" {
			ranks = append(ranks, r)
		}
	}
	for _, r := range ranks {
		if told, is := c.told(r.Name), w.figure(c, r); told != is {
			return fmt.Sprintf("the %s of %s is said to be %d with %s, and is %d", r.Name, c.node.Name, told, names(c.victims), is)
		}
	}
	return ""
}

// notExact says which other set of victims would be better, if the best ones are asked for.
func (w *World) notExact(c choice) string {
	if w.Policy != exact {
		return ""
	}
	possible := w.possible(w.unitsOn(c.node.Name))
	for set := range 1 << len(possible) {
		other := choice{node: c.node}
		for i, u := range possible {
			if set&(1<<i) != 0 {
				other.victims = append(other.victims, u.pods...)
			}
		}
		if len(other.victims) == 0 || w.onceGone(c.node, other.victims) != takesIt {
			continue
		}
		if broken := w.better(c, other); broken != "" {
			return fmt.Sprintf("%s would be better victims on %s than %s: %s", names(other.victims), c.node.Name, names(c.victims), broken)
		}
	}
	return ""
}
