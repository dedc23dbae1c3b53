package preemption

import (
	"context"
	"time"

	"github.com/outrank-go/outrank"
)

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
