package question

import (
	"context"
	"fmt"
	"io"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

// WhyNot says why a pod goes to a node, or why it does not. Its JSON is the JSON of [explain.NodeAnswer], which
// REPORT_JSON.md of package explain describes.
type WhyNot struct{ *explain.NodeAnswer }

// AskWhyNot answers everything about one node for a pod: the rule and the object that keep the pod out, the
// pods whose leaving would help, and the better node with the values by which this one lost.
//
// Errors are those of the setting and of [engine.Evaluator.Explain]. They wrap [preemption.ErrNotFound] for a
// node that the cluster does not have, and [outrank.ErrInvalid] for a pod whose scheduler is not known. It
// takes the time of explaining the pod's whole decision.
func AskWhyNot(ctx context.Context, set Setting, pod *outrank.Pod, node string) (*WhyNot, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	eval, err := set.decider(pod)
	if err != nil {
		return nil, err
	}
	if _, ok := set.Snapshot.Node(node); !ok {
		return nil, fmt.Errorf("node %s: %w", node, preemption.ErrNotFound)
	}

	req := preemption.Request{Pod: pod, Now: set.Now}
	ex, err := eval.Explain(ctx, set.Snapshot, req)
	if err != nil {
		return nil, err
	}
	a, err := explain.WhyNot(ctx, explain.Question{Evaluator: eval, Snapshot: set.Snapshot, Request: req, Plan: ex}, node, explain.Options{Classes: set.Cluster.Classes})
	if err != nil {
		return nil, err
	}
	return &WhyNot{a}, nil
}

// WriteText prints the answer for people. Its lists are cut at ten names, whatever the limit. The error is that
// of w.
func (a *WhyNot) WriteText(w io.Writer, _ int) error {
	out := paperFor(w)
	out.block(0, a.Text())
	return out.To(w)
}
