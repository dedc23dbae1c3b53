package preemption

import (
	"context"
	"time"

	"github.com/outrank-go/outrank"
)

// GroupRequest asks who has to leave so that all pods of a group can run, or
// else none of them (chapter 12).
type GroupRequest struct {
	// Pods are the preemptor: those of the group that do not run yet. All have
	// the same [outrank.Pod.Group], which may be empty, the same priority and
	// the same preemption policy. Their order does not matter.
	Pods []*outrank.Pod
	// Now stands in for missing start times.
	Now time.Time
	// Place says where the pods would go; nil is [Evaluator.FirstFit].
	Place PlaceFunc
}

// Place is a scheduling function: where would the pods go, all of them, with
// the snapshot as it stands? It is asked again and again while pods are taken
// away and put back, and has to give the same answer for the same state.
//
// The snapshot is its own, to bind pods and try things on; nothing of that is
// seen afterwards, and it lasts until Place returns. The pods stand in it as
// pending and without a nomination, so that [Snapshot.Bind] puts them on a node.
// They come in order of importance, in a slice of their own.
//
// That there is no place is an answer ([Placement.Refused]); an error ends the
// whole decision.
type PlaceFunc func(ctx context.Context, snap *Snapshot, pods []*outrank.Pod) (Placement, error)
