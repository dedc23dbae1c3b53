package attempt

import (
	"context"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// byScore returns a function that chooses the node with the highest score.
func byScore(scorer *score.Scorer, snap *engine.Snapshot) func(context.Context, *outrank.Pod, []*outrank.Node) (*outrank.Node, error) {
	return func(ctx context.Context, pod *outrank.Pod, nodes []*outrank.Node) (*outrank.Node, error) {
		ranking, err := scorer.Score(ctx, snap, pod, nodes)
		if err != nil {
			return nil, err
		}
		return ranking.Choose(nil), nil
	}
}

// place chooses one of the nodes that take the pod, and makes sure that it still does.
func (l *Loop) place(ctx context.Context, d decided) (*outrank.Node, error) {
	node := d.nodes[0]
	if len(d.nodes) > 1 {
		var err error
		if node, err = l.choose(ctx, d.pod, d.nodes); err != nil {
			return nil, err
		}
	}
	if node == nil {
		return nil, &hookError{fmt.Errorf("pod %s: %w: no node of those that take it was chosen", d.pod.Key(), outrank.ErrInvalid)}
	}

	// Functions of the caller that were called since the decision may have changed the snapshot. Then the
	// node is asked again.
	if l.snap.Revision() == d.revision {
		return node, nil
	}
	status, err := l.eval.Check(l.snap, d.pod, node.Name)
	switch {
	case err != nil:
		return nil, stale(d.pod, err)
	case status.Code != preemption.Success:
		return nil, stale(d.pod, fmt.Sprintf("node %s does not take it: %v", node.Name, status))
	}
	return node, nil
}

// bind binds the pod of the result to a node, and ends the attempt. If binding fails the pod goes back to the
// queue.
func (l *Loop) bind(ctx context.Context, r *Result, node string, now time.Time) error {
	entry := r.Entry
	revision := l.snap.Revision()
	err := l.executor.Bind(ctx, l.snap.Release(), entry.Pod, node)
	if err != nil {
		return l.fail(ctx, r, now, execution.Failure{Err: err, Node: node})
	}
	r.Outcome, r.Node = Bound, node

	// If the action has changed the snapshot, it has put the pod on the node there (see Config.Execution).
	var seatErr error
	if l.snap.Revision() == revision {
		seatErr = l.seat(entry.Pod, node)
	}
	l.nominator.Remove(entry.Pod)
	l.queue.Done(entry)
	l.countBound(entry, now)
	return seatErr
}

// seat puts a pod on its node in the snapshot. A pod that the snapshot does not know is added first.
func (l *Loop) seat(pod *outrank.Pod, node string) error {
	key := pod.Key()
	err := l.snap.Bind(key, node)
	if err == nil {
		return nil
	}
	if _, known := l.snap.Pod(key); known {
		return err
	}
	if _, err := l.snap.PutPod(pod); err != nil {
		return err
	}
	return l.snap.Bind(key, node)
}

// countBound counts the attempt in which a pod was bound, and how long the pod had waited until then.
func (l *Loop) countBound(entry queue.Entry, now time.Time) {
	l.meter.AddScheduled(l.profile(entry.Pod), entry.Attempts, now.Sub(entry.FirstEnqueued), l.measured())
}
