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
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// Loop makes the attempts of a scheduler, one after another. [New] makes one; the calls of the
// zero Loop return errors that wrap [outrank.ErrInvalid].
type Loop struct {
	snap      *engine.Snapshot
	queue     *queue.Queue
	eval      *engine.Evaluator
	executor  *execution.Executor
	nominator *execution.Nominator
	// scheduler is the name under which attempts are counted. Empty means the scheduler that the pod names.
	scheduler string
	// These are the functions of the Config. All but choose may be nil.
	decideAs func(ctx context.Context, pod *outrank.Pod, now time.Time) ([]*outrank.Node, *preemption.Plan, error)
	tell     func([]*outrank.Node, preemption.Decision) error
	choose   func(ctx context.Context, pod *outrank.Pod, nodes []*outrank.Node) (*outrank.Node, error)
	placing  func(*queue.Group) preemption.PlaceFunc
	took     func() time.Duration
	offset   func(pod *outrank.Pod) int
	// meter is nil if attempts are not counted.
	meter *metrics.Meter
	// schedulers are the names of the schedulers whose pods are queued. None means all.
	schedulers []string
	// owns says that the nominator is the loop's own. It takes the latest versions of pods from the snapshot.
	owns bool
	// groups says that groups of pods are queued as one (rule 5.8.1).
	groups bool
}

// New makes a loop. The error lists everything that is wrong with the configuration, in one
// *[outrank.InputError].
func New(config Config) (*Loop, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	snap, carryOut := config.Snapshot, config.Execution
	release := snap.Release()
	l := &Loop{
		snap: snap, queue: config.Queue, eval: config.Evaluator, nominator: carryOut.Nominator,
		scheduler: carryOut.Scheduler,
		decideAs:  config.Decide, tell: config.Decided, choose: config.Place, placing: config.PlaceGroup, offset: config.Offset, took: config.Took,
		meter: config.Metrics, groups: release.Gates()["GenericWorkload"],
	}

	// Defaults stand in for what the caller has left open.
	if l.eval == nil {
		l.eval = &engine.Evaluator{}
	}
	l.schedulers = l.eval.Config().Profile.Schedulers
	l.owns = l.nominator == nil
	if l.owns {
		l.nominator = &execution.Nominator{Release: release, Find: snap.Pod}
	}
	if l.choose == nil {
		l.choose = byScore(&score.Scorer{}, snap)
	}

	// The executor tells the loop's nominator of the nominations that it sets and clears.
	carryOut.Nominator = l.nominator
	executor, err := execution.NewExecutor(carryOut)
	if err != nil {
		return nil, err
	}
	l.executor = executor
	return l, nil
}

// Executor returns the executor of the loop's plans. A caller that does not use [Loop.Observe] must tell it
// of pods that are gone, with [execution.Executor.Gone].
func (l *Loop) Executor() *execution.Executor { return l.executor }

// Nominator returns the nominator of the configuration, or the loop's own.
func (l *Loop) Nominator() *execution.Nominator { return l.nominator }

// ready returns an error if no call can begin: the loop was not made by New, or there is no context.
func (l *Loop) ready(ctx context.Context) error {
	switch {
	case l == nil || l.executor == nil:
		return fmt.Errorf("attempt: %w: the loop was not made by New", outrank.ErrInvalid)
	case ctx == nil:
		return fmt.Errorf("attempt: %w: no context", outrank.ErrInvalid)
	}
	return nil
}

// Next pops the first pod or group, and makes an attempt with it. If there is none the outcome is [Idle].
// See [Loop.Attempt] for the rest.
func (l *Loop) Next(ctx context.Context, now time.Time) (*Result, error) {
	if err := l.ready(ctx); err != nil {
		return nil, err
	}
	entry, ok := l.queue.TryPop(now)
	if !ok {
		return &Result{Outcome: Idle}, nil
	}
	return l.Attempt(ctx, entry, now)
}

// Attempt makes an attempt with an entry that was popped from the queue, and ends it: the pod is bound, back in
// the queue, or out of it. A waiting pod that is being deleted is dropped. The result is nil for an entry
// without a pod, and for a nil context; any other error comes with a complete result. The package comment lists
// these errors; for a group that has places any change of the snapshot during the attempt is an error. Errors
// of [execution.Executor.Fail] and of [Config.Decided] are returned, too.
func (l *Loop) Attempt(ctx context.Context, entry queue.Entry, now time.Time) (*Result, error) {
	if err := l.ready(ctx); err != nil {
		return nil, err
	}
	switch {
	case entry.Group != nil:
		return l.attemptGroup(ctx, entry, now)
	case entry.Pod == nil:
		return nil, fmt.Errorf("attempt: %w: an entry without a pod", outrank.ErrInvalid)
	}
	return l.attemptPod(ctx, entry, now)
}

// attemptPod is Attempt for a pod. It decides, and then ends the attempt in one of two ways: with bind if
// there is a node, else with fail.
func (l *Loop) attemptPod(ctx context.Context, entry queue.Entry, now time.Time) (*Result, error) {
	pod := entry.Pod
	if pod.NodeName == "" && pod.Terminating() {
		return l.drop(entry), nil
	}

	// A decision that failed may still have a plan, which tells the failure how the nodes answered.
	d, err := l.decide(ctx, pod, now)
	r := &Result{Entry: entry, Nodes: d.nodes, Plan: d.asDecision()}
	if err != nil {
		return r, l.fail(ctx, r, now, execution.Failure{Plan: d.asDecision(), Err: err})
	}

	if len(d.nodes) > 0 {
		node, err := l.place(ctx, d)
		if err != nil {
			return r, l.fail(ctx, r, now, execution.Failure{Err: err})
		}
		return r, l.bind(ctx, r, node.Name, now)
	}

	// Without nodes, the outcome Fits means a resize for which there is room: the pod is on its node, and
	// waits for the kubelet.
	f := execution.Failure{Plan: d.plan}
	switch d.plan.Outcome {
	case preemption.Fits:
		status := Permit(d.plan)
		f = execution.Failure{Refused: &status}
	case preemption.Preempts:
		if err := l.stillHolds(ctx, d); err != nil {
			f = execution.Failure{Err: err}
			break
		}
		r.Report, f.Err = l.executor.Execute(ctx, d.plan)
		l.meter.AddExecution(r.Report, f.Err)
	}
	return r, l.fail(ctx, r, now, f)
}

// drop ends an attempt with a pod that is being deleted.
func (l *Loop) drop(entry queue.Entry) *Result {
	l.nominator.Remove(entry.Pod)
	l.queue.Done(entry)
	return &Result{Entry: entry, Outcome: Dropped}
}
