package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// Check asks one node whether it takes the pod without preemption (chapter 7;
// RunFilterPluginsWithNominatedPods). It asks the built-in filters and those of the configuration, and leaves
// room for nominated pods. The result is the node's Status in [Evaluator.Explain], but no other node is
// asked.
//
// A node that does not take the pod is an answer, not an error. Its Reasons are
// shared: do not change them. Errors: [preemption.ErrNotFound] for a node that the snapshot
// does not have; those about the pod, and of filters, of [Evaluator.Preempt].
//
// The snapshot is only read, and any number of calls may run on it at once. Time is linear in the pods on the
// node whose volumes or ports matter, and does not depend on the number of nodes. Affinity and spread rules
// also cost a look at every class of pods and its nodes.
func (e *Evaluator) Check(cluster *Snapshot, pod *outrank.Pod, node string) (preemption.Status, error) {
	if e == nil {
		return preemption.Status{}, errNoEvaluator
	}
	snap, err := opened(context.Background(), cluster)
	if err != nil {
		return preemption.Status{}, err
	}

	// No filter looks at a start time, so that any time will do.
	a, err := dryrun.NewAttempt(context.Background(), &e.terms, snap, pod, time.Time{})
	if err != nil {
		return preemption.Status{}, err
	}
	if _, ok := snap.Node(node); !ok {
		return preemption.Status{}, fmt.Errorf("%s: %w", prose.Object("node", node), preemption.ErrNotFound)
	}

	// The nominated node is asked first, as in a decision (rule 7.15.5), because the status of this node may
	// name a filter that the nominated one failed (rule 7.15.9).
	w := dryrun.NewDryRunner(a)
	a.HearNominated(w)
	return a.Public(w.Filter(snap.NodeState(node))), nil
}
