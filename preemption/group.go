package preemption

import (
	"context"
	"iter"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
)

// Assignment is a pod with the node it is to run on.
type Assignment struct {
	Pod  *outrank.Pod
	Node string
}

// String gives "pod on node".
func (a Assignment) String() string { return prose.Pod(a.Pod) + " on " + a.Node }

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

// GroupRequest asks who has to leave so that pods of a group can run together (chapter 12).
type GroupRequest struct {
	// Pods are those of the group that do not run yet. All have the same
	// outrank.Pod.Group, which may be empty, or with the gate CompositePodGroup are of the groups of
	// one tree; they have the priority of the group and the same preemption policy and scheduler
	// (rule 12.9.2). They are placed in their order (rule 12.9.5).
	Pods []*outrank.Pod
	// Now is as in Request.
	Now time.Time
	// Refused says that the caller has found no place for the group as things are. None is
	// looked for again, and the plan is never Fits.
	Refused bool
	// Place finds the nodes of the pods. Nil gives each pod the first node, in the cluster's order,
	// that takes it beside those before it. Pods that no node takes are passed over, and it gives up
	// once the group can no longer have as many places as its policy asks for (rules 12.9.3 and
	// 12.9.4): in another order, or on other nodes, there might have been a place for all.
	Place PlaceFunc
}

// PlaceFunc finds nodes for the pods of a group, in the draft as it is: an entry for each pod with a
// place, in the order in which they were placed, and as many as the policy of the group asks for.
// The pods stand in the order of the request, of a tree group by group, in a slice that belongs to
// the function.
//
// It is called for the cluster as things are, unless the request says Refused, and if there is no
// place, and the group may preempt anybody, once with every possible victim away that a guard lets
// go; where there is no place then either, and the guard has kept some, once with these away, too. The
// calls come from the goroutine of the caller. The placement stays, and the filters say who can be
// put back (rule 12.9.8), pod by pod in its order.
//
// No place is an answer, a refusal, and the assignments do not count then; an error ends the decision.
type PlaceFunc func(ctx context.Context, draft Draft, pods []*outrank.Pod) ([]Assignment, *Refusal, error)

// Draft is a cluster in which a place for a group is looked for, without those that are away. It
// does not change: as a [View] it shows the cluster without the waiting pods of the group. It is
// valid until the [PlaceFunc] returns, and for one goroutine.
type Draft interface {
	View
	// Feasible lists the nodes that take a pod of the group beside others of it that have a place by
	// now, in the cluster's order. The slice is the caller's. The others keep the nominations that they
	// have (rule 12.9.5). Errors are those of filters, the context's, and an outrank.ErrInvalid for
	// a pod that is none of the group or has its place already, for one that stands beside it twice,
	// and for a node that is not there. Time is that of asking every node; calls that add to the last
	// one's places cost the least beside that.
	Feasible(pod *outrank.Pod, beside ...Assignment) ([]*outrank.Node, error)
}
