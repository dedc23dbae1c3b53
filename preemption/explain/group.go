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
	// Ineligible says why the group may not preempt. It is empty if it may.
	Ineligible preemption.Ineligibility
	// Seats lists the pods of the group with the nodes that they get, in the order in which they were placed.
	Seats List[Pod]
	// TurnedDown says why the group has no place without preemption. It is nil if it has one. Unhelpful says why
	// it has none with every possible victim gone or, with a guard, with all victims gone that the guard allows.
	// It is nil if the group has a place then, or if there is no possible victim.
	TurnedDown *NoPlace
	Unhelpful  *NoPlace
	// Victims lists the units that have to leave, the most important first.
	Victims List[GroupVictim]
	// VictimPods is the number of pods in all victims, and Violations the number of those that violate a budget.
	Violations int
	VictimPods int
}

// NoPlace says why there is no place for a group.
type NoPlace struct {
	// Pod is the first pod that fits on no node beside the pods before it. Nodes lists the answers of the nodes
	// about it, the most frequent first.
	Pod   outrank.Key
	Nodes List[NodeWord]
	// Reason says in a sentence what the group's policy requires.
	Reason string
	// Guard has the reasons of preemption.Config.Guard, with the guard's name as Filter. It is nil if the guard
	// does not object. If it does, the other fields are about a placement with only the victims gone that it
	// allows, and are empty if every pod of the group has a place then.
	Guard *Obstacle
}

// NodeWord is an answer that several nodes gave. Of the Obstacle only Filter and Reasons are set.
type NodeWord struct {
	Obstacle
	// Count is the number of nodes that gave the answer.
	Count int
}

// GroupName names a group of pods.
type GroupName struct {
	Group outrank.Key
	// Tree is set if the group is the topmost one of a tree of groups.
	Tree bool
}

// GroupVictim is a unit that has to leave: a pod, or all pods of a group.
type GroupVictim struct {
	// GroupName is empty if the unit is a single pod.
	GroupName
	// Priority is the priority by which the unit is compared.
	Priority int32
	// Pods lists the pods of the unit, the most important first.
	Pods List[Pod]
	// Rule names the rule of the configuration by which the unit may be a victim. It is empty if the unit is one
	// because of its lower priority.
	Rule string
	// Blocks says why the unit was not reprieved: which pod of the group had no room on its node with the unit
	// back, or why the guard did not let the other units leave without it.
	Blocks *NoPlace
	// Budgets lists the budgets that the eviction of the unit violates.
	Budgets List[outrank.Key]
}

// Group explains a plan that the evaluator has made for a group in this snapshot: where its pods go, which units
// leave, which pod had no place beside each of them, which budgets are violated, and what is missing if nothing
// helps. It only reports what the plan contains, and asks no node again. If the plan is from another snapshot, the
// nodes of the victims may be wrong.
//
// The error wraps [outrank.ErrInvalid] if the plan or the snapshot is nil. The snapshot is only read, and any number
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

// groupExplainer makes the parts of a group's report.
type groupExplainer struct {
	snap *engine.Snapshot
	// most is the length at which a list is cut.
	most int
}

// noPlace describes a refusal; nil stays nil.
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

// victim says why a unit has to leave. All pods of a unit have the same reason, so the first one is looked at.
func (g *groupExplainer) victim(unit []preemption.Victim) GroupVictim {
	first := &unit[0]
	out := GroupVictim{Priority: first.Priority, Rule: first.Rule}
	switch {
	case first.Composite != nil:
		out.Group, out.Tree = first.Composite.Key(), true
	case first.Group != nil:
		out.Group = first.Group.Key()
	}

	// Either a pod of the group had no room on its node, or the guard objected.
	switch {
	case first.Blocked != nil:
		out.Blocks = g.noPlace(&preemption.Refusal{Pod: first.Blocked, Nodes: []preemption.Count{{Status: first.Blocks, Nodes: 1}}})
	case first.Blocks.Code != preemption.Success:
		out.Blocks = g.noPlace(&preemption.Refusal{Guard: first.Blocks})
	}

	// A budget is named once, however many pods of the unit violate it.
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
