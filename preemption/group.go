package preemption

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
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
func (a Assignment) String() string { return phrase.Pod(a.Pod) + " on " + a.Node }

// Refusal is why there is no place for a group.
type Refusal struct {
	// Pod is the first pod that fits on no node together with the pods before
	// it. It is nil if the caller's engine.PlaceFunc names none.
	Pod *outrank.Pod
	// Nodes counts the nodes by their answer to the pod, the most frequent
	// first.
	Nodes []Count
	// Reason is what the group's policy says, such as how many pods of a gang could not be
	// placed (rule 12.9.3). A engine.PlaceFunc may say something else.
	Reason string
	// Guard is what Config.Guard says, where that is in the way: Pod and Nodes are
	// then about a placement with those gone that it lets go. It is Success where the guard
	// has no part in it.
	Guard Status
}

// text returns the refusal in one line, empty for none.
func (r *Refusal) text() string {
	if r == nil {
		return ""
	}
	pod, guard := "", ""
	if r.Pod != nil {
		pod = string(r.Pod.Key())
	}
	if r.Guard.Code != Success {
		guard = r.Guard.String()
	}
	return prose.NoPlace(pod, r.Nodes, r.Reason, guard)
}

// Unit is a set of pods that leave together: a single pod, or all running pods
// of a group whose DisruptionMode is [outrank.DisruptPodGroup].
type Unit struct {
	// Group is nil for a single pod, whether or not that belongs to a group, and for all
	// pods below a composite group. Composite is that group then.
	Group     *outrank.PodGroup
	Composite *outrank.CompositePodGroup
	// Pods run on nodes of the snapshot; the most important come first. One that
	// engine.Snapshot.Bind has moved is a copy with its place.
	Pods []*outrank.Pod
	// Priority is what the unit counts with: the priority of the group
	// (outrank.PodGroup.Priority), also of a single pod's group, or that at the top of its
	// tree, and 0 where that has none.
	Priority int32
}

// String returns the name of the pod, or the name of the group with the number
// of its pods.
func (u Unit) String() string {
	switch {
	case u.Composite != nil:
		return fmt.Sprintf("%s (%d pods)", u.Composite.Key(), len(u.Pods))
	case u.Group != nil:
		return fmt.Sprintf("%s (%d pods)", u.Group.Key(), len(u.Pods))
	case len(u.Pods) == 1:
		return phrase.Pod(u.Pods[0])
	}
	return fmt.Sprintf("%d pods", len(u.Pods))
}

// GroupVictim is a unit that has to leave, with the reasons.
type GroupVictim struct {
	Unit
	// Violated are the budgets that were found violated while the unit's pods
	// were charged, each listed once. Budgets are charged for every possible
	// victim in order of importance, not only for the actual ones (rules 6.3.7
	// and 12.9.10).
	Violated []*outrank.PodDisruptionBudget
	// Blocks says which pod of the group did not pass on its node when this unit was put
	// back, or what the guard said of those that would have been away without it.
	Blocks *Refusal
	// Violating is how many of the unit's pods violate a budget.
	Violating int
	// Rule names the rule by which the unit may be taken, as the guard or Take of the
	// configuration names it for the first of Pods; empty where lower priority is the rule.
	Rule string
}

// GroupPlan is the answer for a group. It belongs to the caller. The objects
// that it points to are those that the caller passed in.
type GroupPlan struct {
	// Group is the key of the preempting group, empty if its pods name none.
	// Composite is set where the pods belong to a tree of groups: then it is the group at
	// the top, and Group its key.
	Group     outrank.Key
	Composite *outrank.CompositePodGroup
	// Now stood in for the start of pods that have none.
	Now     time.Time
	Outcome Outcome
	// Ineligible says why the outcome is NotEligible. It is also set if the
	// group fits but could not preempt.
	Ineligible Ineligibility
	// Status is what the reference says of the group (rule 12.9.11), with its code and its
	// text: also why it preempts. It says nothing where the group fits.
	Status Status
	// Placement is the node of each pod, in the order of the placing function.
	// It is nil unless the outcome is Fits or Preempt.
	Placement []Assignment
	// Nominations are what the pods are nominated to: those of the placement, or, while the group
	// waits for victims of an earlier preemption, what all its pods are nominated to already, with
	// an empty Node for none. Nil changes nothing.
	Nominations []Assignment
	// Victims have to leave, the most important first. There may be none.
	Victims []GroupVictim
	// Disruptions is the number of victims that are groups, or pods that name one (rule
	// 12.9.10).
	Disruptions int
	// Grace is the time that the policy gives victims to end. With nil each
	// victim has its own.
	Grace *time.Duration

	// TurnedDown is why there is no place for the group as things are, nil if
	// there is one. Unhelpful is why there is none with every possible victim
	// removed. It is nil unless nothing helps, and if there is no possible
	// victim.
	TurnedDown, Unhelpful *Refusal
	// Possible is the number of units that could be victims, before a guard is asked.
	// Placements is the
	// number of placements that the answer rests on. A engine.PlaceFunc is called for each
	// of them.
	Possible, Placements int
}

// Violations returns the number of pods of the victims that violate a budget.
func (p *GroupPlan) Violations() int {
	n := 0
	for i := range p.Victims {
		n += p.Victims[i].Violating
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
