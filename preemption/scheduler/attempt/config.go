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

// Config has the parts of a [Loop]. Snapshot, Queue, and the Actions of Execution to evict and to
// bind are needed.
type Config struct {
	// Snapshot is the cluster. Others may change it between two attempts.
	Snapshot *engine.Snapshot
	// Queue has the pods that wait.
	Queue *queue.Queue
	// Evaluator decides; nil means that of the zero preemption.Config.
	Evaluator *engine.Evaluator
	// Execution says how the cluster is reached, and how plans are carried out. If its action to bind
	// changes the loop's snapshot it must put the pod on the node there, too; otherwise the loop does
	// so. If it has a Nominator the
	// caller keeps the nominations, and may share them. Nil means one of the loop's own, which knows
	// pods by the snapshot, so that it is an error to nominate a pod that is gone.
	Execution execution.Config
	// Metrics, if any, counts the attempts, and what is done in them.
	Metrics *metrics.Meter
	// Place chooses among two or more nodes that take a pod, which are in the cluster's order. Nil takes
	// the node of the highest score of the default profile
	// (score.Scorer.Score), of equal ones the node that kube-scheduler takes without drawing lots
	// (score.Ranking.Choose, which can draw them). It must not change the snapshot.
	Place func(ctx context.Context, pod *outrank.Pod, nodes []*outrank.Node) (*outrank.Node, error)
	// Offset returns the node at which a preemption.Sample begins for a pod, modulo the number of
	// nodes; nil means the first one. kube-scheduler draws it for each attempt.
	Offset func(pod *outrank.Pod) int
	// PlaceGroup returns the function that places the pods of a group. Without it, and if it returns nil,
	// they are placed as preemption.GroupRequest says for a nil Place.
	PlaceGroup func(g *queue.Group) preemption.PlaceFunc
	// Decide, if set, decides about a pod in place of Loop.Decide, which it may call. Its answer
	// must hold for the snapshot as it is when Decide returns.
	Decide func(ctx context.Context, pod *outrank.Pod, now time.Time) (nodes []*outrank.Node, plan *preemption.Plan, err error)
	// Decided, if set, hears what was decided before anything is done: the nodes that take a pod, or
	// the plan for a pod or a group. Its error ends the
	// attempt: the pod goes back as after an error, and the error is returned.
	Decided func(nodes []*outrank.Node, plan preemption.Decision) error
	// Took returns the duration of the present attempt, by a clock of the caller's, for the
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
