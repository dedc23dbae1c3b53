package explain

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// GroupReport explains a decision for a group of pods. It holds names and
// figures and none of the caller's objects; it belongs to the caller, and can be written to
// JSON and read back.
type GroupReport struct {
	// The group; empty for pods that name none.
	GroupName
	Outcome preemption.Outcome
	// Ineligible says why the group may not preempt; empty where it may.
	Ineligible preemption.Ineligibility
	// Seats are its pods with the nodes that they get, in the order in which they were placed.
	Seats List[Pod]
	// TurnedDown is why there is no place for the group as things are, and Unhelpful why there
	// is none with every possible victim gone, or with those that a guard lets go; nil where that is not
	// so, and where nobody might leave.
	TurnedDown *NoPlace
	Unhelpful  *NoPlace
	// Victims are the units that have to leave, the most important first.
	Victims List[GroupVictim]
	// Violations counts the pods of the victims that violate a budget, and VictimPods all
	// their pods.
	Violations int
	VictimPods int
}

// NoPlace is why there is no place for a group.
type NoPlace struct {
	// Pod is the first pod that fits on no node together with those before it, and Nodes what
	// the nodes say to it, the most frequent first.
	Pod   outrank.Key
	Nodes List[NodeWord]
	// Reason is the sentence of the group's policy.
	Reason string
	// Guard is what preemption.Config.Guard says where it is in the way, with its name as that of a filter: the
	// rest is then about a placement with those gone that it lets go, and empty where the pods of the group
	// have their places.
	Guard *Obstacle
}

// NodeWord is the answer of a number of nodes, of which nothing is told but the filter and its reasons.
type NodeWord struct {
	Obstacle
	Count int
}

// GroupName names a group of pods or, with Tree set, the topmost one of a tree of groups.
type GroupName struct {
	Group outrank.Key
	Tree  bool
}

// GroupVictim is a unit that has to leave: a pod, or all pods of a group.
type GroupVictim struct {
	// The unit, where it is a group.
	GroupName
	// Priority is the priority that the unit counts with.
	Priority int32
	// Pods are its pods, the most important first.
	Pods List[Pod]
	// Rule names the rule by which it may be a victim, where the configuration has one in
	// place of lower priority.
	Rule string
	// Blocks says which pod of the group had no room on its node with the unit back, or what
	// the guard said of the others without it; units are put back one after the other.
	Blocks *NoPlace
	// Budgets are those that losing it breaks.
	Budgets List[outrank.Key]
}

// Group explains a plan for a group, which the evaluator has made of the snapshot as it
// is: where its pods go, which units leave and which pods had no place with each of
// them, whose budget breaks, and what is in the way where nothing helps. It tells what the
// plan found, and asks no node again. Of a plan of another snapshot the nodes of victims may
// be wrong.
//
// The error wraps [outrank.ErrInvalid] without a plan. The snapshot is only read, and any
// number of calls may run on it at once. Time is linear in the plan.
func Group(snap *engine.Snapshot, plan *preemption.GroupPlan, options Options) (*GroupReport, error) {
	if plan == nil || snap == nil {
		return nil, fmt.Errorf("%w: no plan or no snapshot", outrank.ErrInvalid)
	}
	most := options.Most
	if most <= 0 {
		most = 10
	}
	g := &groupExplainer{snap: snap, most: min(most, mostNames)}
	r := &GroupReport{
		GroupName: GroupName{plan.Group, plan.Composite != nil}, Outcome: plan.Outcome, Ineligible: plan.Ineligible,
		TurnedDown: g.noPlace(plan.TurnedDown), Unhelpful: g.noPlace(plan.Unhelpful), VictimPods: len(plan.Victims),
	}
	for _, a := range cut(plan.Placement, 10*g.most, &r.Seats.More) {
		r.Seats.Items = append(r.Seats.Items, refIn(func(outrank.Key) string { return a.Node }, a.Pod))
	}
	for i := range plan.Victims {
		if len(plan.Victims[i].Violated) > 0 {
			r.Violations++
		}
	}
	units := slices.Collect(plan.Units())
	for _, unit := range cut(units, 10*g.most, &r.Victims.More) {
		r.Victims.Items = append(r.Victims.Items, g.victim(unit))
	}
	return r, nil
}

// groupExplainer has what a report is made with.
type groupExplainer struct {
	snap *engine.Snapshot
	most int
}

func (g *groupExplainer) noPlace(r *preemption.Refusal) *NoPlace {
	if r == nil {
		return nil
	}
	out := &NoPlace{Reason: r.Reason}
	if r.Pod != nil {
		out.Pod = r.Pod.Key()
	}
	for _, c := range cut(r.Nodes, g.most, &out.Nodes.More) {
		filter := c.Filter
		if filter == "" {
			filter = c.ExcludedBy
		}
		word := Obstacle{Filter: filter, Reasons: append([]string(nil), c.Reasons...)}
		out.Nodes.Items = append(out.Nodes.Items, NodeWord{word, c.Nodes})
	}
	if r.Guard.Code != preemption.Success {
		out.Guard = &Obstacle{Filter: r.Guard.Filter, Reasons: append([]string(nil), r.Guard.Reasons...)}
	}
	return out
}

// victim says why pods leave together.
func (g *groupExplainer) victim(unit []preemption.Victim) GroupVictim {
	first := &unit[0]
	out := GroupVictim{Priority: first.Priority, Rule: first.Rule}
	switch {
	case first.Blocked != nil:
		out.Blocks = g.noPlace(&preemption.Refusal{Pod: first.Blocked, Nodes: []preemption.Count{{Status: first.Blocks, Nodes: 1}}})
	case first.Blocks.Code != preemption.Success:
		out.Blocks = g.noPlace(&preemption.Refusal{Guard: first.Blocks})
	}
	switch {
	case first.Composite != nil:
		out.Group, out.Tree = first.Composite.Key(), true
	case first.Group != nil:
		out.Group = first.Group.Key()
	}
	var violated []outrank.Key
	for i := range unit {
		for _, b := range unit[i].Violated {
			if b != nil && !slices.Contains(violated, b.Key()) {
				violated = append(violated, b.Key())
			}
		}
	}
	for _, v := range cut(unit, g.most, &out.Pods.More) {
		out.Pods.Items = append(out.Pods.Items, refIn(g.snap.NodeOf, v.Pod))
	}
	out.Budgets = listOf(violated, g.most)
	return out
}

// refIn names a pod with the node that is known of it; nil is the zero Pod.
func refIn(nodeOf func(outrank.Key) string, p *outrank.Pod) Pod {
	if p == nil {
		return Pod{}
	}
	return Pod{p.Key(), p.PriorityValue(), nodeOf(p.Key())}
}
