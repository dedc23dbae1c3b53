package preemption

import (
	"context"
	"time"

	"github.com/outrank-go/outrank"
)

// GroupRequest asks who has to leave so that a group of pods can run (section
// 11): as many of them as its policy asks for, or else none.
type GroupRequest struct {
	// Pods are the preemptor: those of the group that do not run yet. All have
	// the same [outrank.Pod.Group], which may be empty, and the same preemption
	// policy, and where the snapshot knows no priority of the group also the same
	// priority. Their order does not matter.
	Pods []*outrank.Pod
	// Now stands in for missing start times.
	Now time.Time
	// Place says where the pods would go; nil is [Evaluator.FirstFit].
	Place PlaceFunc
}

// PlaceFunc is a scheduling function: where would the pods go, with the snapshot
// as it stands? It is asked again and again while pods are taken away and put
// back, and has to give the same answer for the same state.
//
// The snapshot is its own, to bind pods and try things on; nothing of that is
// seen afterwards, and it lasts until the function returns. The pods stand in it as
// pending and without a nomination, so that [Snapshot.Bind] puts them on a node.
// They come in order of importance, in a slice of their own.
//
// Each pod gets a node, unless the answer says that those which do are enough
// ([Placement.Enough]); how many are is for the function to decide. That there is
// no place is an answer, too ([Placement.Refused]); an error ends the whole
// decision.
type PlaceFunc func(ctx context.Context, snap *Snapshot, pods []*outrank.Pod) (Placement, error)
