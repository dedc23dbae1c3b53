package attempt

import (
	"context"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Config has the parts of a [Loop]. Snapshot, Queue, Execution.Actions.Evict and Execution.Actions.Bind must
// be set.
type Config struct {
	// Snapshot is the cluster. Others may change it between two attempts.
	Snapshot *engine.Snapshot
	// Queue holds the pods that wait to be placed. Its variant must be that of the Evaluator (rule 13.1.1).
	Queue *queue.Queue
	// Evaluator filters nodes and finds victims. Nil means an Evaluator of the zero preemption.Config.
	Evaluator *engine.Evaluator
	// Execution says how the cluster is reached, and how plans are executed. If its action Bind
	// changes the loop's snapshot it must put the pod on the node there, too; otherwise the loop does
	// so. If it has a Nominator, the caller keeps the nominations and may share them. Nil means a Nominator of
	// the loop's own. That one takes the latest versions of pods from the snapshot, so it is an error to
	// nominate a pod that the snapshot does not have.
	Execution execution.Config
	// Metrics, if any, counts the attempts, the preemptions in them and the executions of plans.
	Metrics *metrics.Meter
	// Place chooses among two or more nodes that take a pod, given in the cluster's order. It must not change
	// the snapshot. Nil takes the node with the highest score of the default profile (score.Scorer.Score). Of
	// nodes with equal scores it takes the one that kube-scheduler takes without drawing lots
	// (score.Ranking.Choose, which can draw them).
	Place func(ctx context.Context, pod *outrank.Pod, nodes []*outrank.Node) (*outrank.Node, error)
	// Offset returns the index of the node at which a preemption.Sample begins for a pod, modulo the number of
	// nodes. Nil means the first node. kube-scheduler draws it at random for each attempt.
	Offset func(pod *outrank.Pod) int
	// PlaceGroup returns the function that places the pods of a group. If it is nil, or returns nil,
	// they are placed as preemption.GroupRequest says for a nil Place.
	PlaceGroup func(g *queue.Group) preemption.PlaceFunc
	// Decide, if set, decides about a pod in place of Loop.Decide, which it may call. Its answer
	// must hold for the snapshot as it is when Decide returns.
	Decide func(ctx context.Context, pod *outrank.Pod, now time.Time) (nodes []*outrank.Node, plan *preemption.Plan, err error)
	// Decided, if set, is told the decision before anything is done: the nodes that take a pod, or
	// the plan for a pod or a group. Its error ends the attempt: the pod goes back to the queue as after any
	// error, and the error is returned.
	Decided func(nodes []*outrank.Node, plan preemption.Decision) error
	// Took returns how long the present attempt has taken, measured by a clock of the caller, for the
	// metrics. Nil leaves durations out of them.
	Took func() time.Duration
}

// variant returns the variant of the evaluator. The plans name it, so that the executor follows it, too.
func (c *Config) variant() outrank.Variant {
	if c.Evaluator == nil {
		return 0
	}
	return c.Evaluator.Config().Variant
}

var errNoConfig = fmt.Errorf("%w: no configuration", outrank.ErrInvalid)

// validate returns an error that lists everything that is wrong with the configuration, nil if nothing is.
func (c *Config) validate() error {
	if c == nil {
		return errNoConfig
	}

	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "attempt config", Field: field, Text: fmt.Sprintf(format, args...)})
	}

	if c.Snapshot == nil {
		add("Snapshot", "missing")
	}
	variant := c.variant()
	switch {
	case c.Queue == nil:
		add("Queue", "missing")
	case !c.Queue.Follows(variant):
		add("Queue", "of another variant than the evaluator, which follows %v", variant)
	}
	actions := &c.Execution.Actions
	if actions.Evict == nil {
		add("Execution.Actions.Evict", "missing")
	}
	if actions.Bind == nil {
		add("Execution.Actions.Bind", "missing")
	}
	if _, err := execution.NewExecutor(c.Execution); err != nil {
		add("Execution", "%v", err)
	}
	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}
