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

// Config is what a [Loop] is made of. Snapshot, Queue, and the Actions of Execution to evict and to
// bind are needed.
type Config struct {
	// Snapshot is the cluster. Others may change it between two attempts.
	Snapshot *engine.Snapshot
	// Queue has the pods that wait.
	Queue *queue.Queue
	// Evaluator decides; nil is that of the zero preemption.Config.
	Evaluator *engine.Evaluator
	// Execution is how the cluster is reached, and how plans are carried out. An action to bind that
	// changes the loop's snapshot has brought it in line itself; after any other one the loop puts
	// the pod there. With a Nominator the
	// caller keeps the nominations, and may share them; nil is one of the loop's own, which knows
	// pods by the snapshot, so that nominating one that is gone is an error.
	Execution execution.Config
	// Metrics, if any, counts the attempts, and what is done in them.
	Metrics *metrics.Meter
	// Place chooses among the nodes that take a pod, in the cluster's order, of which there are
	// two or more. Nil takes the node of the highest score of the default profile
	// (score.Scorer.Score), of equal ones the node that kube-scheduler takes without drawing lots
	// (score.Ranking.Choose, which can draw them). It must not change the snapshot.
	Place func(ctx context.Context, pod *outrank.Pod, nodes []*outrank.Node) (*outrank.Node, error)
	// Offset returns the node at which a preemption.Sample begins for a pod, modulo the number of
	// nodes; nil is the first one. kube-scheduler draws it for each attempt.
	Offset func(pod *outrank.Pod) int
	// PlaceGroup returns how the pods of a group are placed; nil, and a nil function, place as
	// preemption.GroupRequest.Place does without one.
	PlaceGroup func(g *queue.Group) preemption.PlaceFunc
	// Decide, if set, decides about a pod in place of Loop.Decide, which it may call. What it
	// says is taken to hold of the snapshot as it is when it returns.
	Decide func(ctx context.Context, pod *outrank.Pod, now time.Time) (nodes []*outrank.Node, plan *preemption.Plan, err error)
	// Decided, if set, hears what was decided before anything is done: the nodes that take a pod, or
	// the plan for a pod or a group. Its error ends the
	// attempt: the pod goes back as after an error, and the error is returned.
	Decided func(nodes []*outrank.Node, plan preemption.Decision) error
	// Took returns how long the present attempt took, by a clock of the caller's, for the
	// metrics; nil leaves durations out.
	Took func() time.Duration
}

var errNoConfig = fmt.Errorf("%w: no configuration", outrank.ErrInvalid)

// validate returns everything that is wrong with the configuration.
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
	if c.Queue == nil {
		add("Queue", "missing")
	}
	if c.Execution.Actions.Evict == nil {
		add("Execution.Actions.Evict", "missing")
	}
	if c.Execution.Actions.Bind == nil {
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
