package engine

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// LookAt begins to look at nodes for a request. The function that it returns looks at one node. The view
// shows what a decision sees in its dry run there, and decides nothing. Package explain
// finds out with it what stands behind a plan, and package joint who could leave for several pods.
// Possible victims are those that a guard lets go, unless there is a chooser.
//
// One view is seen at a time: the next call of the function ends the one before. A node may be looked at
// again. Neither the function nor the view is for several goroutines, and the snapshot must not
// change meanwhile.
//
// Errors are those of [Evaluator.Preempt]. The function's error is [preemption.ErrNotFound] for a node that
// the snapshot does not have. Time is that of a decision before its first node: next to nothing
// if no filter looks at other pods, else a look at every class of pods and its nodes. The
// function takes constant time; the view goes through the pods of the node when it is first asked about
// any of them.
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

	// With given statuses nodes were asked elsewhere, as for a decision.
	a.Elsewhere = req.Statuses != nil

	// The caller has shown, which the next call empties, and never the node itself.
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
