package engine_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	report "github.com/outrank-go/outrank/preemption/explain"
)

// planText shows a plan:
//
//	preempt on NODE
//	  victim POD [of GROUP] [on NODE], violates BUDGETS; blocks: STATUS
//	  clears the nomination of POD
//	turned down: N STATUS
//	after removal: N STATUS
//
// What a victim blocks is what the preemptor fails with when it is put back.
// The last two lines count nodes: those that do not take the pod as they are,
// and those on which taking pods away does not help.
func planText(p *preemption.Plan) string {
	var b strings.Builder
	switch p.Outcome {
	case preemption.Fits:
		fmt.Fprintf(&b, "fits on %d\n", p.Feasible)
		if p.Ineligible != "" {
			fmt.Fprintf(&b, "else %s\n", p.Ineligible.Message())
		}
	case preemption.NotEligible:
		fmt.Fprintf(&b, "%s\n", p.Ineligible.Message())
	case preemption.Preempts:
		fmt.Fprintf(&b, "preempt on %s\n", p.Node)
		for i := range p.Victims {
			fmt.Fprintf(&b, "  victim %s\n", victimText(&p.Victims[i]))
		}
		for _, cleared := range p.ClearedNominations {
			fmt.Fprintf(&b, "  clears the nomination of %s\n", shortName(cleared.Key()))
		}
		if p.Variant == outrank.VariantSimplified {
			b.WriteString("  grace 0s\n")
		}
	default:
		fmt.Fprintf(&b, "%s\n", strings.ReplaceAll(string(p.Outcome), "-", " "))
	}
	countsText(&b, "turned down", p.TurnedDown)
	countsText(&b, "after removal", p.Unhelpful)
	return b.String()
}

// victimText names a victim, the budgets it violates and the reason.
func victimText(v *preemption.Victim) string {
	text := shortName(v.Pod.Key())
	switch {
	case v.Group != nil:
		text += " of " + shortName(v.Group.Key())
	case v.Composite != nil:
		text += " of " + shortName(v.Composite.Key())
	}
	if v.Node != "" {
		text += " on " + v.Node
	}
	if len(v.Violated) > 0 {
		text += ", violates " + budgetNames(v.Violated)
	}
	if v.Pod.Terminating() {
		text += ", leaving already"
	}
	if v.Blocks.Code != preemption.Success {
		text += "; blocks: " + statusText(v.Blocks)
	}
	return text
}

func budgetNames(budgets []*outrank.PodDisruptionBudget) string {
	var names []string
	for _, x := range budgets {
		names = append(names, shortName(x.Key()))
	}
	return strings.Join(names, " and ")
}

func countsText(b *strings.Builder, what string, counts []preemption.Count) {
	for _, c := range counts {
		fmt.Fprintf(b, "%s: %d %s\n", what, c.Nodes, statusText(c.Status))
	}
}

// statusText is what a node says: the filter with its reasons, and whether
// evicting pods could help.
func statusText(s preemption.Status) string {
	switch s.Code {
	case preemption.Success:
		return "fits"
	case preemption.Unschedulable:
		return s.String()
	case preemption.UnschedulableAndUnresolvable:
		return s.String() + " (unresolvable)"
	}
	return s.String() + " (error)"
}

// explanationText shows what a plan does not: all candidates, the best first,
// with what they are ranked by, and what every node says.
//
//	candidate NODE: violations V, top P, sum S, victims N, start T: PODS
//	decided by RANK
//	node NODE: STATUS; then STATUS
//
// The sum is without the 2^31 of each victim, and the start seen from now.
func explanationText(ex *preemption.Plan) string {
	var b strings.Builder
	for i := range ex.Candidates {
		c := &ex.Candidates[i]
		s := c.Score
		fmt.Fprintf(&b, "candidate %s: violations %d, top %d, sum %d+%dx2^31, victims %d, start %v:", c.Node,
			s.Violations, s.TopPriority, s.PrioritySum-int64(s.Victims)<<31, s.Victims, s.Victims, s.Start.Sub(scenario.Now))
		for _, v := range c.Victims {
			fmt.Fprintf(&b, " %s", shortName(v.Pod.Key()))
		}
		if len(c.Score.Own) > 0 {
			fmt.Fprintf(&b, "; own %v", c.Score.Own)
		}
		b.WriteString("\n")
	}
	if len(ex.Candidates) > 1 {
		fmt.Fprintf(&b, "decided by %s\n", report.RankText(ex.DecidedBy))
	}
	for _, n := range ex.Nodes {
		fmt.Fprintf(&b, "node %s: %s", n.Node, statusText(n.Status))
		switch {
		case n.AfterRemoval != nil && n.AfterRemoval.Code == preemption.Success:
			b.WriteString("; candidate")
		case n.AfterRemoval != nil:
			b.WriteString("; after removal " + statusText(*n.AfterRemoval))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// groupText shows a plan for a group.
func groupText(p *preemption.GroupPlan) string {
	var b strings.Builder
	switch p.Outcome {
	case preemption.NotEligible:
		fmt.Fprintf(&b, "%s\n", p.Ineligible.Message())
	default:
		fmt.Fprintf(&b, "%s\n", strings.ReplaceAll(string(p.Outcome), "-", " "))
	}
	for _, a := range p.Placement {
		fmt.Fprintf(&b, "  place %s on %s\n", shortName(a.Pod.Key()), a.Node)
	}
	for unit := range p.Units() {
		v := unit[0]
		fmt.Fprintf(&b, "  victim %s", shortName(unitText(unit)))
		if v.Group != nil {
			fmt.Fprintf(&b, " %s", scenarioNames(podsOf(unit)))
		}
		fmt.Fprintf(&b, ", priority %d", v.Priority)
		var violated []*outrank.PodDisruptionBudget
		for _, v := range unit {
			for _, b := range v.Violated {
				if !slices.Contains(violated, b) {
					violated = append(violated, b)
				}
			}
		}
		if len(violated) > 0 {
			fmt.Fprintf(&b, ", violates %s", budgetNames(violated))
		}
		why := &preemption.Refusal{Guard: v.Blocks}
		if v.Blocked != nil {
			why = &preemption.Refusal{Pod: v.Blocked, Nodes: []preemption.Count{{Status: v.Blocks, Nodes: 1}}}
		}
		fmt.Fprintf(&b, "; blocks: %s\n", refusalText(why))
	}
	if p.TurnedDown != nil {
		fmt.Fprintf(&b, "turned down: %s\n", refusalText(p.TurnedDown))
	}
	if p.Unhelpful != nil {
		fmt.Fprintf(&b, "after removal: %s\n", refusalText(p.Unhelpful))
	}
	return b.String()
}

func refusalText(r *preemption.Refusal) string {
	return strings.ReplaceAll(told(preemption.GroupPlan{TurnedDown: r}, "as things are"), outrank.DefaultNamespace+"/", "")
}

// scenarioNames lists pods by their short names.
func scenarioNames(pods []*outrank.Pod) string {
	var names []string
	for _, p := range pods {
		names = append(names, shortName(p.Key()))
	}
	return strings.Join(names, " ")
}

// stateText shows the pods of every node, and those nominated to it.
func stateText(snap *engine.Snapshot) string {
	var b strings.Builder
	for n := range snap.Nodes() {
		fmt.Fprintf(&b, "node %s:", n.Name)
		for _, p := range snap.PodsOn(n.Name) {
			fmt.Fprintf(&b, " %s", shortName(p.Key()))
		}
		for _, p := range snap.NominatedTo(n.Name) {
			fmt.Fprintf(&b, " (%s)", shortName(p.Key()))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// shortName leaves out the default namespace.
func shortName[K ~string](key K) string {
	return strings.TrimPrefix(string(key), outrank.DefaultNamespace+"/")
}
