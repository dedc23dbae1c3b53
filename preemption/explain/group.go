package explain

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// GroupReport explains a decision for a group of pods. It holds names and figures and none of the caller's
// objects. It belongs to the caller, and can be written to JSON and read back.
type GroupReport struct {
	// GroupName is empty for pods that name no group.
	GroupName
	Outcome preemption.Outcome
	// Ineligible says why the group may not preempt; empty where it may.
	Ineligible preemption.Ineligibility
	// Seats are the pods of the group with the nodes that they get, in the order in which they were placed.
	Seats List[Pod]
	// TurnedDown says why there is no place for the group as things are; nil where there is one. Unhelpful
	// says why there is none with every possible victim gone or, with a guard, with those gone that it lets
	// go; nil where there is one, and where nobody might leave.
	TurnedDown *NoPlace
	Unhelpful  *NoPlace
	// Victims are the units that have to leave, the most important first.
	Victims List[GroupVictim]
	// VictimPods counts the pods of all victims. Violations counts those of them that violate a budget.
	Violations int
	VictimPods int
}

// NoPlace says why there is no place for a group.
type NoPlace struct {
	// Pod is the first pod that fits on no node beside those before it. Nodes are the answers of the nodes
	// to it, the most frequent first.
	Pod   outrank.Key
	Nodes List[NodeWord]
	// Reason is the sentence of the group's policy.
	Reason string
	// Guard says what preemption.Config.Guard holds against it, under the guard's name in place of a filter;
	// nil where the guard is not in the way. The other fields are then about a placement with those gone that
	// the guard lets go, and empty where every pod of the group has a place.
	Guard *Obstacle
}

// NodeWord is an answer that several nodes gave. It has a filter and its reasons, and names no things.
type NodeWord struct {
	Obstacle
	// Count is the number of nodes that gave the answer.
	Count int
}

// GroupName names a group of pods.
type GroupName struct {
	Group outrank.Key
	// Tree is set where the group is the topmost one of a tree of groups.
	Tree bool
}

// GroupVictim is a unit that has to leave: a pod, or all pods of a group.
type GroupVictim struct {
	// GroupName is empty where the unit is a single pod.
	GroupName
	// Priority is the priority that the unit counts with.
	Priority int32
	// Pods are the pods of the unit, the most important first.
	Pods List[Pod]
	// Rule names the rule of the configuration by which the unit may be a victim. It is empty where lower
	// priority is the rule.
	Rule string
	// Blocks says which pod of the group had no room on its node when the unit was put back, or what the guard
	// said of the other units without it. Units are put back one after the other.
	Blocks *NoPlace
	// Budgets are the budgets that losing the unit breaks.
	Budgets List[outrank.Key]
}

// Group explains a plan for a group that the evaluator has made in the snapshot as it is: where its pods go,
// which units leave, which pod had no place beside each of them, which budgets break, and what is in the way
// where nothing helps. It tells what the plan found, and asks no node again. With the plan of another snapshot
// the nodes of victims may be wrong.
//
// The error wraps [outrank.ErrInvalid] without a plan or a snapshot. The snapshot is only read, and any number
// of calls may run on it at once. Time is linear in the plan.
func Group(snap *engine.Snapshot, plan *preemption.GroupPlan, options Options) (*GroupReport, error) {
	if plan == nil || snap == nil {
		return nil, fmt.Errorf("%w: no plan or no snapshot", outrank.ErrInvalid)
	}

	g := &groupExplainer{snap: snap, most: options.names()}
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

// groupExplainer makes the parts of a report.
type groupExplainer struct {
	snap *engine.Snapshot
	// most is the number of names that a list holds.
	most int
}

// noPlace describes a refusal; nil for none.
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

// victim says why a unit has to leave. All pods of a unit have the same reason, so that the first speaks for
// them.
func (g *groupExplainer) victim(unit []preemption.Victim) GroupVictim {
	first := &unit[0]
	out := GroupVictim{Priority: first.Priority, Rule: first.Rule}
	switch {
	case first.Composite != nil:
		out.Group, out.Tree = first.Composite.Key(), true
	case first.Group != nil:
		out.Group = first.Group.Key()
	}

	// A pod of the group that had no room on its node, or the guard.
	switch {
	case first.Blocked != nil:
		out.Blocks = g.noPlace(&preemption.Refusal{Pod: first.Blocked, Nodes: []preemption.Count{{Status: first.Blocks, Nodes: 1}}})
	case first.Blocks.Code != preemption.Success:
		out.Blocks = g.noPlace(&preemption.Refusal{Guard: first.Blocks})
	}

	var violated []outrank.Key
	for i := range unit {
		for _, b := range unit[i].Violated {
			if b != nil && !slices.Contains(violated, b.Key()) {
				violated = append(violated, b.Key())
			}
		}
	}
	out.Budgets = listOf(violated, g.most)

	for _, v := range cut(unit, g.most, &out.Pods.More) {
		out.Pods.Items = append(out.Pods.Items, refIn(g.snap.NodeOf, v.Pod))
	}
	return out
}

// refIn returns a reference to a pod, with the node that nodeOf gives; the zero Pod for nil.
func refIn(nodeOf func(outrank.Key) string, p *outrank.Pod) Pod {
	if p == nil {
		return Pod{}
	}
	return Pod{p.Key(), p.PriorityValue(), nodeOf(p.Key())}
}
