package question

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
)

// Goes says where a pod goes that fits.
type Goes struct {
	// Node is the first node in the cluster's order that has the best score of those that take the pod. Equal
	// counts the nodes with that score. kube-scheduler draws one of them by lot.
	Node  string `json:"node"`
	Equal int    `json:"equal"`
}

// Text says it in a sentence.
func (g *Goes) Text() string {
	if g.Equal == 1 {
		return fmt.Sprintf("By its scheduler's scores it goes to %s.", g.Node)
	}
	return fmt.Sprintf("By its scheduler's scores it goes to one of %d equal nodes: %s, say.", g.Equal, g.Node)
}

// WhereItGoes answers which of the nodes that take the pod as things are its scheduler's scores prefer; nil where
// no node takes it. An error that wraps [outrank.ErrInvalid] is about preferences of the pod that the scheduler
// cannot read. The scheduler fails over them, too, and the pod waits. Other errors are those of the setting and
// of [engine.Evaluator.Feasible]. Time is linear in the nodes and pods.
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
