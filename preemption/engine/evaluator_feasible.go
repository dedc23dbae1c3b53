package engine

import (
	"context"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/search"
)

// Feasible lists the nodes that take the pod without preemption, in the cluster's order (chapter 7;
// findNodesThatFitPod, with every node asked). If the node that the pod is nominated to takes it, that is the
// only one (rule 7.15.5), because the room there was made for this pod. The nomination is the snapshot's,
// which execution.Nominator.ApplyTo updates, or the pod's own if the snapshot does not know the pod. A caller
// that wants every node asked removes the nomination first ([Snapshot.Nominate] to no node). A scheduler
// scores these nodes, and asks for preemption if there are none. The slice is the caller's.
//
// Errors, requirements on the pod and concurrent calls are as for [Evaluator.Preempt]. Time is linear in the
// number of nodes. If the nominated node takes the pod, only that node is asked, after the filters that look
// at the whole cluster have prepared themselves.
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
