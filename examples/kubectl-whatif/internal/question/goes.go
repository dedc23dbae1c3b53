package question

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
)

// Goes is where a pod that fits goes.
type Goes struct {
	// Node has the best scores of those that take the pod. Equal counts the nodes that have them, of
	// which kube-scheduler draws one by lot; Node is the first of them in the cluster's order.
	Node  string `json:"node"`
	Equal int    `json:"equal"`
}

// Text is a sentence.
func (g *Goes) Text() string {
	if g.Equal == 1 {
		return fmt.Sprintf("By its scheduler's scores it goes to %s.", g.Node)
	}
	return fmt.Sprintf("By its scheduler's scores it goes to one of %d equal nodes: %s, say.", g.Equal, g.Node)
}

// WhereItGoes asks the scores of a pod's scheduler about the nodes that take the pod as things are; nil
// where none does. An error that wraps [outrank.ErrInvalid] is about preferences of the pod that
// the scheduler cannot read: it fails over them, too, and the pod waits. Other errors are those of
// the setting and of [engine.Evaluator.Feasible]. Time is linear in the nodes and pods.
func WhereItGoes(ctx context.Context, set Setting, pod *outrank.Pod) (*Goes, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	eval, err := set.decider(pod)
	if err != nil {
		return nil, err
	}
	ranked, err := set.scorerFor(pod).Rank(ctx, eval, set.Snapshot, pod)
	if err != nil || len(ranked.Nodes) == 0 {
		return nil, err
	}
	best := ranked.Best()
	return &Goes{best[0].Name, len(best)}, nil
}
