package question

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
)

// Goes says where a pod goes that fits.
type Goes struct {
	// Node is the first node, in the order of the cluster, with the best score among the nodes that take the
	// pod. Equal counts the nodes with that score, of which kube-scheduler picks one at random.
	Node  string `json:"node"`
	Equal int    `json:"equal"`
}

// Text says in a sentence where the pod goes.
func (g *Goes) Text() string {
	if g.Equal == 1 {
		return fmt.Sprintf("By its scheduler's scores it goes to %s.", g.Node)
	}
	return fmt.Sprintf("By its scheduler's scores it goes to one of %d equal nodes: %s, say.", g.Equal, g.Node)
}

// WhereItGoes answers which node the scores of the pod's scheduler prefer among the nodes that take the pod as
// things are. It is nil if no node takes the pod. An error that wraps [outrank.ErrInvalid] is about preferences
// of the pod that cannot be read; the scheduler fails on them, too, and the pod waits. Other errors are those
// of the setting and of [engine.Evaluator.Feasible]. The time is linear in the nodes and pods.
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
