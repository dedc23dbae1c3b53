package preemption

import (
	"context"
	"iter"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
)

// Assignment is a pod with the node that it is to run on.
type Assignment struct {
	Pod  *outrank.Pod
	Node string
}

// String gives "pod on node".
func (a Assignment) String() string { return prose.Pod(a.Pod) + " on " + a.Node }

// Refusal says why there is no place for a group.
type Refusal struct {
	// Pod is the first pod that fits on no node beside the pods placed before it. It is nil if the
	// caller's PlaceFunc names none.
	Pod *outrank.Pod
	// Nodes counts the nodes by their answer about Pod, the most frequent answer first.
	Nodes []Count
	// Reason is what the group's policy says, such as how many pods of a gang could not be placed (rule
	// 12.9.3). A PlaceFunc may say something else.
	Reason string
	// Guard is the refusal of Config.Guard, if there would be a place only without pods that the guard keeps.
	// Pod and Nodes are then about a placement without the pods that it lets go. Guard is Success otherwise.
	Guard Status
}

// text returns the refusal in one line, empty if there is none.
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
// that it points to belong to the caller's input.
type GroupPlan struct {
	// Group is the key of the preempting group, empty if its pods name none. Composite is set if the pods
	// belong to a tree of groups: it is the group at the top, and Group its key.
	Group     outrank.Key
	Composite *outrank.CompositePodGroup
	// Release names the rules that the plan follows. They hold also when it is carried out.
	Release outrank.Release
	// Now is GroupRequest.Now, which stood in for the start of pods that have none.
	Now     time.Time
	Outcome Outcome
	// Ineligible says why the group may not preempt, even if it fits; empty if it may.
	Ineligible Ineligibility
	// Status is the status that kube-scheduler gives the group (rule 12.9.11), even if it preempts. It is zero
	// if the group fits.
	Status Status
	// Placement has the pods that were placed with their nodes, in the order in which they were placed. It
	// is nil unless the outcome is Fits or Preempts.
	Placement []Assignment
	// Nominations are the nodes that pods are to be nominated to, nil to change nothing. If the outcome is
	// Preempts, they equal Placement. While the group waits for victims of an earlier preemption, they
	// repeat the nomination that each of its pods has already, with an empty Node for none.
	Nominations []Assignment
	// Victims have to leave, the most important first. Those of one unit stand together. There may be none.
	Victims []Victim

	// TurnedDown says why there is no place for the group as things are, nil if there is one or none was
	// looked for. Unhelpful says why there is none with every possible victim gone, or every one gone that
	// a guard lets go. It is nil unless nothing helps, and where there is no possible victim.
	TurnedDown, Unhelpful *Refusal
}

// Units goes through the victims unit by unit: a pod by itself, or all running pods of a group that leave
// together. The slices are parts of Victims.
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
	// Pods are the pods of the group that do not run yet. All have the same outrank.Pod.Group, which may be
	// empty; with the gate CompositePodGroup they may be of several groups of one tree. They have the
	// priority of the group, one preemption policy and one scheduler (rule 12.9.2). They are placed in
	// their order (rule 12.9.5).
	Pods []*outrank.Pod
	// Now stands in for the start of pods that have none, as in Request.
	Now time.Time
	// Refused says that the caller has found no place for the group as things are. None is looked for
	// again, and the outcome is never Fits.
	Refused bool
	// Place finds nodes for the pods. Nil is first fit: each pod gets the first node, in the cluster's
	// order, that takes it beside the pods before it, and pods that no node takes are passed over. First
	// fit gives up once the group can no longer have as many places as its policy asks for (rules 12.9.3
	// and 12.9.4), though in another order or on other nodes there might have been places for all.
	Place PlaceFunc
}

// PlaceFunc finds nodes for the pods of a group in the cluster that the draft shows. It returns the pods
// that have a place, in the order in which they were placed, and as many as the policy of the group asks
// for. pods are in the order of the request; in a tree they come group by group. The slice belongs to the
// function.
//
// It is called for the cluster as things are, unless the request says Refused. If there is no place, and the
// group may preempt, it is called with every possible victim away that a guard does not keep. If there is
// no place then either, and the guard has kept some, it is called with these away, too. The calls
// come from the goroutine of the caller. A placement stays: the filters say which victims can come back
// beside it (rule 12.9.8).
//
// If there is no place, it returns a refusal, and the assignments do not count. An error ends the decision.
type PlaceFunc func(ctx context.Context, draft Draft, pods []*outrank.Pod) ([]Assignment, *Refusal, error)

// Draft is the cluster in which a place for a group is looked for, without the pods that are away. It does
// not change. As a [View] it leaves out the nominations of the group's own waiting pods. It is valid until
// the [PlaceFunc] returns, and for one goroutine.
type Draft interface {
	View
	// Feasible lists the nodes that take a pod of the group, in the cluster's order. The pods of beside are
	// on their nodes then; all other pods of the group keep the nominations that they have (rule 12.9.5).
	// The slice is the caller's. Errors: errors of filters and of the context; outrank.ErrInvalid for a pod
	// that is not of the group or stands in the call twice, and for a node that is not there. Each call asks
	// every node. Beyond that, it is cheapest to add to the places of the call before.
	Feasible(pod *outrank.Pod, beside ...Assignment) ([]*outrank.Node, error)
}
