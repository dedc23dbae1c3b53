package main

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

// whyNode names the lead of the chosen node over the runner-up, with both figures.
func whyNode(a *Answer) string {
	if a.Resize != nil {
		return "The pod is on it."
	}
	return a.Why.Choice.Texts()[0]
}

// ifItStayed says why a victim has to leave.
func ifItStayed(v *explain.Victim) string {
	switch {
	case v.Blocks == nil:
		return "an extender named it"
	case v.AtItsTurn:
		return "when it was put back: " + v.Blocks.Text()
	}
	return "if it stayed: " + v.Blocks.Text()
}

// writeDetails names the obstacles on the nodes that take the pod neither way; at
// most list groups of them are shown.
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
		p.Line("    and %s more", plural(more, "group"))
	}
}

// writeWayOut prints the missing amounts where nothing helps, and a sufficient change.
func writeWayOut(p console.Page, a *Answer) {
	if a.Why.Nothing == nil {
		return
	}
	if texts := a.Why.Nothing.Texts(); len(texts) > 0 {
		p.Line("\nWhat is missing:")
		p.Items(texts)
	}
}

// priorityText is the importance of the pod and its source.
func priorityText(p *Asked) string {
	return fmt.Sprintf("%d (%s)", p.Priority, howPriorityIsKnown(p))
}

// howPriorityIsKnown is the source of the pod's importance.
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

const tooManyPods = "Too many pods"

// mostHints keeps the hints to the obstacles on the most nodes.
const mostHints = 3

// hints are advice, obstacle by obstacle.
func hints(a *Answer) []string {
	var out []string
	if a.Refused {
		return append(out, refusedAdvice(a.TurnedDown))
	}
	for _, r := range otherReasons(a) {
		if a.Resize != nil && r.Filter == "" && !r.Tried {
			continue // no other node is asked
		}
		if len(out) < mostHints {
			out = append(out, fmt.Sprintf("%s: %s", plural(r.Nodes.Count, "node"), advice(&r, a.Pod.Priority)))
		}
	}
	return out
}

// refusedAdvice is the change of a pod that no node was asked about.
func refusedAdvice(turnedDown []Reason) string {
	if len(turnedDown) > 0 && turnedDown[0].Filter == preemption.NodeAffinity {
		return "no node has all of the names that the pod's node affinity demands at once."
	}
	return "mend the pod's claim, or give the pod another; until then nobody is pushed out for it."
}

// advice is the change of the pod or the nodes, by the rule that failed; none
// failed where nobody could be pushed out.
func advice(r *Reason, priority int32) string {
	switch r.Filter {
	case "":
		if r.Tried {
			return fmt.Sprintf("nobody there is less important than %d; only a higher priority could push anybody out.", priority)
		}
	case preemption.NodeResourcesFit:
		if slices.Equal(r.Reasons, []string{tooManyPods}) {
			return "raise the number of pods a node may hold, or add nodes."
		}
		if r.Tried {
			return "what is as important there takes too much; ask for less, or add nodes."
		}
		return "they do not have that much even when empty; ask for less, or add larger nodes."
	case preemption.DeferredPodScheduling:
		return "its spec.podPreemptionPolicy spares the pods there; take that back, or make room by hand."
	case preemption.NodeUnschedulable:
		return "uncordon nodes, or add some."
	case preemption.NodeName:
		return "leave spec.nodeName out."
	case preemption.TaintToleration:
		return "give the pod a toleration, or nodes without the taint."
	case preemption.NodeAffinity:
		return "look at the pod's node selector and affinity, and at the labels of the nodes."
	case preemption.NodePorts:
		return "choose another host port, or do without one."
	case preemption.VolumeRestrictions:
		return "a volume of the pod is in use by pods that cannot be pushed out; wait, or give it one of its own."
	case preemption.NodeVolumeLimits:
		return "they cannot attach more volumes; use fewer, or add nodes."
	case preemption.VolumeBinding, preemption.VolumeZone:
		return "the pod's volumes cannot be used there; add nodes where they can, or move the data."
	case preemption.PodTopologySpread:
		return "look at the pod's topologySpreadConstraints, and whether nodes carry their labels."
	case preemption.InterPodAffinity:
		return "look at the affinity and anti-affinity of the pod, and of the pods that run."
	}
	return "look at the pod's demands on its node."
}
