package engine

import (
	"context"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// GroupRequest asks which pods have to leave so that all pods of a group can
// run together (chapter 12).
type GroupRequest struct {
	// Pods are the preemptor: the pods of the group that do not run yet. All
	// have the same outrank.Pod.Group, which may be empty, or with the gate
	// CompositePodGroup are of the groups of one tree; they have the priority of the group
	// and the same preemption policy and scheduler (rule 12.9.2). They are placed in their
	// order (rule 12.9.5).
	Pods []*outrank.Pod
	// Now replaces missing start times.
	Now time.Time
	// Refused says that the caller has found no place for the group as things are, so that
	// none is looked for again: the plan is then never preemption.Fits.
	Refused bool
	// Place finds the nodes of the pods; nil means Evaluator.FirstFit.
	Place PlaceFunc
}

// PlaceFunc is a scheduling function. It returns the nodes for all the pods in
// the present state of the snapshot.
//
// The function may bind pods in the snapshot and try other changes. They are
// not seen afterwards, and the snapshot is valid until the function returns.
// The pods are pending in it, with the nominations that they had, so that [Snapshot.Bind]
// puts them on a node. They stand in the order of the request, of a tree group by group, in
// a slice that belongs to the function.
//
// It is called once for the cluster as it is, unless the request says Refused. If there is
// no place then, and if the group may preempt anybody, it is called once with every
// possible victim away that a guard lets go, on the goroutine of the caller, and where there is
// no place either and the guard has kept some, once with these away, too. The placement stays, and the
// filters say who can be put back (rule 12.9.8), pod by pod in the order of
// [preemption.Placement.Assignments].
//
// A missing place is an answer ([preemption.Placement.Refused]). An error ends the whole
// decision.
type PlaceFunc func(ctx context.Context, snap *Snapshot, pods []*outrank.Pod) (preemption.Placement, error)
