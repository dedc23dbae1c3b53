package engine

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// LookAt prepares views of nodes for a request. The function that it returns gives the view of one node. The
// view shows what a decision sees in its dry run there, and decides nothing. Package explain uses it to find
// the reasons behind a plan, and package joint to find who could leave for several pods. The possible victims
// of a view are those that a guard lets go, unless there is a chooser.
//
// Only one view is valid at a time: the next call of the function ends the previous view. A node may be
// looked at again. Neither the function nor the view may be used by several goroutines at once, and the
// snapshot must not change meanwhile.
//
// The errors are those of [Evaluator.Preempt]. The function's error is [preemption.ErrNotFound] for a node
// that the snapshot does not have. LookAt takes the time of a decision before its first node: next to nothing
// if no filter looks at other pods, otherwise a look at every class of pods and its nodes. The function takes
// constant time; a view reads the pods of the node when it is first asked about any of them.
func (e *Evaluator) LookAt(cluster *Snapshot, req preemption.Request) (func(node string) (preemption.NodeView, error), error) {
	if e == nil {
		return nil, errNoEvaluator
	}
	snap, err := opened(context.Background(), cluster)
	if err != nil {
		return nil, err
	}

	if err := dryrun.CheckAlone(snap, req.Pod); err != nil {
		return nil, err
	}
	a, err := dryrun.NewAttempt(context.Background(), &e.terms, snap, req.Pod, req.Now)
	if err != nil {
		return nil, err
	}

	// If the request gives statuses, the nodes were filtered elsewhere, as in a decision.
	a.Elsewhere = req.Statuses != nil

	// The caller holds shown, never at itself, so that the next call can end the view.
	at, shown := dryrun.NewNodeLookedAt(a), &shownNode{noNode{}}
	return func(node string) (preemption.NodeView, error) {
		n := snap.NodeState(node)
		if n == nil || n.Node == nil {
			return nil, fmt.Errorf("%s: %w", prose.Object("node", node), preemption.ErrNotFound)
		}

		shown.NodeView = noNode{}
		at.Turn(n)
		shown = &shownNode{at}
		return shown, nil
	}, nil
}
