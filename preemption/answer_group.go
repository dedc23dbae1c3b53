package preemption

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
)

// Placement is where the pods of a group go, or why there is no place.
type Placement struct {
	// Assignments are one for each pod, in the order in which they were made.
	// They count only where nothing is refused.
	Assignments []Assignment
	// Refused says why not all pods have a place; nil if they have.
	Refused *Refusal
}

// Assignment is a pod with the node it is to run on.
type Assignment struct {
	Pod  *outrank.Pod
	Node string
}

// String gives "pod on node".
func (a Assignment) String() string { return a.Pod.Key() + " on " + a.Node }

// Refusal is why a group has no place.
type Refusal struct {
	// Pod is the first that fits nowhere with those before it in place; nil
	// where a Place of the caller's names none.
	Pod *outrank.Pod
	// Nodes counts the nodes by what they said to the pod, the most frequent
	// first.
	Nodes []Count
}

// String says it in a line.
func (r *Refusal) String() string {
	if r == nil {
		return ""
	}
	text := "no place"
	if r.Pod != nil {
		text = "no place for " + r.Pod.Key()
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

// Unit is what is pushed out together: a single pod, or all running pods of a
// group whose Disruption is [outrank.DisruptPodGroup].
type Unit struct {
	// Group is nil for a single pod, whether or not that belongs to a group.
	Group *outrank.PodGroup
	// Pods run on nodes of the snapshot; the most important come first.
	Pods []*outrank.Pod
	// Priority is what the unit counts with: that of the group
	// ([outrank.PodGroup.Priority]) if it has one, of a single pod's group
	// likewise, else the highest of its pods.
	Priority int32
}

// String names the pod, or the group with the number of its pods.
func (u Unit) String() string {
	if u.Group == nil {
		return u.Pods[0].Key()
	}
	return fmt.Sprintf("%s (%d pods)", u.Group.Key(), len(u.Pods))
}

// GroupVictim is a unit that has to leave, and why.
type GroupVictim struct {
	Unit
	// Violated are the budgets that were found broken while the unit's pods
	// were charged, each once: at most one for each pod. Budgets are charged
	// for every possible victim in order of importance, not only for the
	// actual ones (rules 6.3.7 and 12.5.1).
	Violated []*outrank.PodDisruptionBudget
	// Blocks is why the group had no place when this unit was put back.
	Blocks *Refusal
}

// GroupPlan is the answer for a group. It belongs to the caller; the objects it
// points to are the caller's own from the start.
type GroupPlan struct {
	// Group is the key of the preempting group, empty if its pods name none.
	Group   string
	Outcome Outcome
	// Ineligible says why the outcome is NotEligible. It is also set, for the
	// curious, where the group fits but could not preempt.
	Ineligible Ineligibility
	// Placement is where each pod goes, in the order in which Place gave them;
	// nil unless the outcome is Fits or Preempt.
	Placement []Assignment
	// Victims have to leave, the most important first.
	Victims []GroupVictim
	// ClearedNominations are the pods of lower priority that are nominated to
	// one of the nodes of the placement and lose that, by importance (rule
	// 14.3.3).
	ClearedNominations []*outrank.Pod
	// Grace is the time that the policy gives victims to end, nil for their
	// own.
	Grace *time.Duration

	// TurnedDown is why the group has no place as things are, nil where it
	// fits. Unhelpful is why it has none with every possible victim away; it
	// is nil unless nothing helps, and where there is no possible victim.
	TurnedDown, Unhelpful *Refusal
	// Possible is the number of units that could be victims, and Placements
	// how often Place was asked.
	Possible, Placements int
}

// Violations is the number of victims, each a unit, that violate a budget.
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

// nodes are those of the placement.
func (p *GroupPlan) nodes() map[string]bool {
	used := map[string]bool{}
	for _, a := range p.Placement {
		used[a.Node] = true
	}
	return used
}
