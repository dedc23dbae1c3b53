package preemption

import (
	"context"
	"time"

	"github.com/outrank-go/outrank"
)

// GroupRequest asks which pods have to leave so that all pods of a group can
// run together (chapter 12).
type GroupRequest struct {
	// Pods are the preemptor: the pods of the group that do not run yet. All
	// have the same [outrank.Pod.Group], which may be empty, the same priority
	// and the same preemption policy. Before v1.37 their order does not matter; from then
	// on they are placed in it (rule 12.9.5), and with the gate CompositePodGroup they may be
	// of all groups of one tree.
	Pods []*outrank.Pod
	// Now replaces missing start times.
	Now time.Time
	// Refused says that the caller has found no place for the group as things are, so that
	// none is looked for again: the plan is then never [Fits].
	Refused bool
	// Place finds the nodes of the pods; nil means [Evaluator.FirstFit].
	Place PlaceFunc
}

// PlaceFunc is a scheduling function. It returns the nodes for all the pods in
// the present state of the snapshot. It is called again and again while pods
// are removed and put back, and has to return the same answer for the same
// state.
//
// The function may bind pods in the snapshot and try other changes. They are
// not seen afterwards, and the snapshot is valid until the function returns.
// The pods are pending in it, without a nomination, so that [Snapshot.Bind]
// puts them on a node. They are sorted by importance before v1.37, in a slice that belongs
// to the function.
//
// It is called once for the cluster as it is, unless the request says Refused. If there is
// no place then, and if the group may preempt anybody, it is called once with every
// possible victim away; and if there is a place then, once for each of them, in the order
// in which they are put back: always one call after the other, on the goroutine of the
// caller. No call is left out, because nothing is known of what the function looks at.
// From v1.37 on the placement with every possible victim away is the last: it stays, and
// the filters say who can be put back (rule 12.9.8), pod by pod in the order of
// [Placement.Assignments]. The pods then have the nominations that they had, and stand in
// the order of the request, of a tree group by group.
//
// A missing place is an answer ([Placement.Refused]). An error ends the whole
// decision.
type PlaceFunc func(ctx context.Context, snap *Snapshot, pods []*outrank.Pod) (Placement, error)
