package engine

import (
	"context"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/search"
)

// Feasible lists the nodes that take the pod as things are, in the cluster's order (chapter 7;
// findNodesThatFitPod, with every node asked). If the node that the pod is nominated to takes it, that
// is the only one (rule 7.15.5): the room there was made for this pod. The nomination is that of the
// snapshot, which execution.Nominator.ApplyTo brings up to date, or the pod's own
// if the snapshot does not know the pod. A caller that wants every node asked takes the nomination away
// before ([Snapshot.Nominate] to no node). A scheduler scores these nodes. It asks for preemption if there
// are none. The slice is the caller's.
//
// The errors, and what holds for the pod and for concurrent calls, are those of
// [Evaluator.Preempt]. Time is linear in the number of nodes. If the nominated one takes the pod, it
// is that of asking one node, and of what filters that look at the whole cluster need once.
func (e *Evaluator) Feasible(ctx context.Context, cluster *Snapshot, pod *outrank.Pod) ([]*outrank.Node, error) {
	if e == nil {
		return nil, errNoEvaluator
	}
	snap, err := opened(ctx, cluster)
	if err != nil {
		return nil, err
	}
	return search.Feasible(ctx, &e.terms, snap, pod)
}
