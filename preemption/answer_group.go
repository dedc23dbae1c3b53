package preemption

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
)

// Placement is the nodes of a group's pods, or the reason why there is no place
// for the group.
type Placement struct {
	// Assignments are one for each pod that has a place, in the order in which
	// they were made. They count only where nothing is refused.
	Assignments []Assignment
	// Enough says that the pods in Assignments are enough for the group, though
	// there may be others, which then go without a place. Without it each pod has
	// to have one.
	Enough bool
	// Refused says why not enough pods have a place; nil if they have.
	Refused *Refusal
}

// Assignment is a pod with the node it is to run on.
type Assignment struct {
	Pod  *outrank.Pod
	Node string
}

// String gives "pod on node".
func (a Assignment) String() string { return podText(a.Pod) + " on " + a.Node }

// Refusal is why there is no place for a group.
type Refusal struct {
	// Pod is the first pod that fits on no node together with the pods before
	// it. It is nil if the caller's [PlaceFunc] names none.
	Pod *outrank.Pod
	// Nodes counts the nodes by their answer to the pod, the most frequent
	// first.
	Nodes []Count
}

// String returns the refusal in one line.
func (r *Refusal) String() string {
	if r == nil {
		return ""
	}
	text := "no place"
	if r.Pod != nil {
		text = "no place for " + string(r.Pod.Key())
	}
	for i, c := range r.Nodes {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		text += fmt.Sprintf("%s%d %s", sep, c.Nodes, c.Status)
	}
	return text
}

// Unit is a set of pods that leave together: a single pod, or all running pods
// of a group whose Disruption is [outrank.DisruptPodGroup].
type Unit struct {
	// Group is nil for a single pod, whether or not that belongs to a group.
	Group *outrank.PodGroup
	// Pods run on nodes of the snapshot; the most important come first.
	Pods []*outrank.Pod
	// Priority is what the unit counts with: the priority of the group
	// ([outrank.PodGroup.Priority]), also of a single pod's group, or the
	// highest priority of its pods if the group has none.
	Priority int32
}

// String returns the name of the pod, or the name of the group with the number
// of its pods.
func (u Unit) String() string {
	if u.Group == nil && len(u.Pods) == 1 {
		return podText(u.Pods[0])
	}
	if u.Group == nil {
		return fmt.Sprintf("%d pods", len(u.Pods))
	}
	return fmt.Sprintf("%s (%d pods)", u.Group.Key(), len(u.Pods))
}

// GroupVictim is a unit that has to leave, with the reasons.
type GroupVictim struct {
	Unit
	// Violated are the budgets that were found violated while the unit's pods
	// were charged, each listed once. Budgets are charged for every possible
	// victim in order of importance, not only for the actual ones (rules 6.3.7
	// and 12.5.1).
	Violated []*outrank.PodDisruptionBudget
	// Blocks is why there was no place for the group when this unit was put
	// back.
	Blocks *Refusal
}

// GroupPlan is the answer for a group. It belongs to the caller. The objects
// that it points to are those that the caller passed in.
type GroupPlan struct {
	// Group is the key of the preempting group, empty if its pods name none.
	Group   outrank.Key
	Outcome Outcome
	// Ineligible says why the outcome is NotEligible. It is also set if the
	// group fits but could not preempt.
	Ineligible Ineligibility
	// Placement is the node of each pod, in the order of the placing function.
	// It is nil unless the outcome is Fits or Preempt.
	Placement []Assignment
	// Victims have to leave, the most important first.
	Victims []GroupVictim
	// ClearedNominations are the pods of lower priority that lose their
	// nomination to a node of the placement, by importance (rule 14.3.3).
	ClearedNominations []*outrank.Pod
	// Grace is the time that the policy gives victims to end. With nil each
	// victim has its own.
	Grace *time.Duration

	// TurnedDown is why there is no place for the group as things are, nil if
	// there is one. Unhelpful is why there is none with every possible victim
	// removed. It is nil unless nothing helps, and if there is no possible
	// victim.
	TurnedDown, Unhelpful *Refusal
	// Possible is the number of units that could be victims. Placements is the
	// number of placements that the answer rests on. A [PlaceFunc] is called for each
	// of them.
	Possible, Placements int
}

// Violations returns the number of victims, each a unit, that violate a budget.
func (p *GroupPlan) Violations() int {
	n := 0
	for i := range p.Victims {
		if len(p.Victims[i].Violated) > 0 {
			n++
		}
	}
	return n
}

// VictimPods lists the pods of all victims, unit by unit. The slice is the
// caller's.
func (p *GroupPlan) VictimPods() []*outrank.Pod {
	var pods []*outrank.Pod
	for i := range p.Victims {
		pods = append(pods, p.Victims[i].Pods...)
	}
	return pods
}

// nodes returns the nodes of the placement.
func (p *GroupPlan) nodes() map[string]bool {
	used := map[string]bool{}
	for _, a := range p.Placement {
		used[a.Node] = true
	}
	return used
}
