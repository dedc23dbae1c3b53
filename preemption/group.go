package preemption

import (
	"iter"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

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
	// it. It is nil if the caller's PlaceFunc names none.
	Pod *outrank.Pod
	// Nodes counts the nodes by their answer to the pod, the most frequent
	// first.
	Nodes []Count
	// Reason is what the group's policy says, such as how many pods of a gang could not be
	// placed (rule 12.9.3). A PlaceFunc may say something else.
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

// GroupPlan is the answer for a group. It belongs to the caller. The objects
// that it points to are those that the caller passed in.
type GroupPlan struct {
	// Group is the key of the preempting group, empty if its pods name none.
	// Composite is set where the pods belong to a tree of groups: then it is the group at
	// the top, and Group its key.
	Group     outrank.Key
	Composite *outrank.CompositePodGroup
	// Release is whose rules the plan follows, and whoever carries it out goes by.
	Release outrank.Release
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
	// Victims have to leave, the most important first, those that leave together one behind the other.
	// There may be none.
	Victims []Victim

	// TurnedDown is why there is no place for the group as things are, nil if
	// there is one. Unhelpful is why there is none with every possible victim
	// removed. It is nil unless nothing helps, and if there is no possible
	// victim.
	TurnedDown, Unhelpful *Refusal
}

// Units goes through the victims by what leaves together: a pod by itself, or all running pods of a
// group. What it hands out is part of Victims.
func (p *GroupPlan) Units() iter.Seq[[]Victim] {
	return func(yield func([]Victim) bool) {
		if p == nil {
			return
		}
		for from, to := 0, 0; from < len(p.Victims); from = to {
			for to = from + 1; to < len(p.Victims) && p.Victims[from].leavesWith(&p.Victims[to]); to++ {
			}
			if !yield(p.Victims[from:to:to]) {
				return
			}
		}
	}
}
