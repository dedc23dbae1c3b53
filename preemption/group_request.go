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
	// and the same preemption policy. Their order does not matter.
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
// puts them on a node. They are sorted by importance, in a slice that belongs
// to the function.
//
// It is called once for the cluster as it is. If there is no place then, and if the
// group may preempt anybody, it is called once with every possible victim away; and
// if there is a place then, once for each of them, in the order in which they are
// put back: always one call after the other, on the goroutine of the caller. No call
// is left out, because nothing is known of what the function looks at.
//
// A missing place is an answer ([Placement.Refused]). An error ends the whole
// decision.
type PlaceFunc func(ctx context.Context, snap *Snapshot, pods []*outrank.Pod) (Placement, error)
