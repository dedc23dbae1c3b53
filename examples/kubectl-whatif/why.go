package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

// whyNode says by what the chosen node beats the runner-up, with both values.
func whyNode(a *Answer) string {
	if a.Resize != nil {
		return "The pod is on it."
	}
	return a.Why.Choice.Texts()[0]
}

// toldReasons maps each reason that was told to the number of the first victim that has it.
type toldReasons map[string]int

// tell says why a victim has to leave. If an earlier victim had the same reason, it refers to that victim. It
// is empty if the reason is not known.
func (told toldReasons) tell(number int, v *explain.Victim) string {
	if v == nil {
		return ""
	}
	text := ifItStayed(v)
	if first := told[text]; first > 0 {
		return fmt.Sprintf("the same as for %d", first)
	}
	told[text] = number
	return text
}

// ifItStayed says why a victim has to leave: what would be wrong if it stayed.
func ifItStayed(v *explain.Victim) string {
	switch {
	case v.Blocks == nil:
		return "an extender named it"
	case v.AtItsTurn:
		return "when it was put back: " + v.Blocks.Text()
	}
	return "if it stayed: " + v.Blocks.Text()
}

// writeDetails names the obstacles on the nodes that take the pod neither as things are nor after
// evictions. At most list groups of nodes are shown.
func writeDetails(p console.Page, a *Answer, list int) {
	var groups []string
	for i := range a.Why.Nodes {
		if g := &a.Why.Nodes[i]; g.Stage == explain.InVain || g.Stage == explain.NoHelp {
			groups = append(groups, g.Text())
		}
	}
	if len(groups) == 0 || a.Why.Refused != nil {
		return
	}

	p.Line("\nWhat is in the way there:")
	p.Items(groups[:min(len(groups), list)])
	if more := len(groups) - list; more > 0 {
		p.Line("    and %s more", console.Plural(more, "group"))
	}
}

// writeWayOut prints what is missing if nothing helps, and a change that would be enough.
func writeWayOut(p console.Page, a *Answer) {
	if a.Why.Nothing == nil {
		return
	}
	if texts := a.Why.Nothing.Texts(); len(texts) > 0 {
		p.Line("\nWhat is missing:")
		p.Items(texts)
	}
}

// priorityText returns the pod's priority and where it is from.
func priorityText(p *Asked) string {
	return fmt.Sprintf("%d (%s)", p.Priority, howPriorityIsKnown(p))
}

// howPriorityIsKnown says where the pod's priority is from.
func howPriorityIsKnown(p *Asked) string {
	var why string
	switch p.PrioritySource {
	case SourceRecorded:
		why = "recorded in the pod when it was created"
		if p.PriorityClass != "" {
			why = "class " + p.PriorityClass + ", " + why
		}
	case SourceMissing:
		why = "the pod has none recorded, which counts as 0"
	case SourceClass:
		why = "class " + p.PriorityClass + ", which the pod names"
	case SourceDefaultClass:
		why = "class " + p.PriorityClass + ", the default of the cluster; the pod names none"
	case SourceNoClass:
		why = "the pod names no class, and the cluster has no default"
	case SourceNumber:
		why = "given as a number"
	}
	return why
}

// whyIneligible says why the pod may not push anybody out.
func whyIneligible(a *Answer) string {
	if a.Ineligible == preemption.Disabled {
		return "its scheduler is configured without preemption."
	}
	if a.Ineligible == preemption.PolicyNever {
		if a.Pod.PriorityClass != "" {
			return "class " + a.Pod.PriorityClass + " has preemption policy Never, to wait for room instead of making it."
		}
		return "its preemption policy is Never, to wait for room instead of making it."
	}
	return "it waits for pods that were pushed out for it earlier and are still leaving " + a.Pod.NominatedNode + "."
}

// tooManyPods is the reason of a node that has no place for one more pod.
const tooManyPods = "Too many pods"

// hints are changes that were tried and make room. Those with the fewest steps come first, then those that help
// on the most nodes.
func hints(a *Answer) []string {
	if a.Refused {
		return []string{refusedAdvice(a.TurnedDown)}
	}

	var ways []*explain.NodeGroup
	for i := range a.Why.Nodes {
		if g := &a.Why.Nodes[i]; g.Help() != "" {
			ways = append(ways, g)
		}
	}

	slices.SortStableFunc(ways, func(g, h *explain.NodeGroup) int {
		return cmp.Or(cmp.Compare(len(g.Way.Steps), len(h.Way.Steps)), cmp.Compare(h.Names.Len(), g.Names.Len()))
	})

	var out []string
	for _, g := range ways {
		out = append(out, g.Help())
	}
	return out
}

// refusedAdvice is advice for a pod whose own demands ended the attempt before any node was looked at.
func refusedAdvice(turnedDown []Reason) string {
	if len(turnedDown) > 0 && turnedDown[0].Filter == preemption.NodeAffinity {
		return "no node has all of the names that the pod's node affinity demands at once."
	}
	return "mend the pod's claim, or give the pod another; until then nobody is pushed out for it."
}
