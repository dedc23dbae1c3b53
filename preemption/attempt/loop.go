package attempt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/score"
	"github.com/outrank-go/outrank/priority/queue"
)

// Loop makes the attempts of a scheduler, one after another. [New] makes one; the calls of the
// zero Loop return errors that wrap [outrank.ErrInvalid].
type Loop struct {
	config    Config
	eval      *engine.Evaluator
	executor  *execution.Executor
	nominator *execution.Nominator
	scorer    *score.Scorer
	failures  execution.FailureHandler
	// owns is set where the nominator is the loop's own, and knows pods by the snapshot.
	owns bool
	// groups is set where groups of pods are queued as one (rule 5.8.1).
	groups bool
}

// New makes a loop. The error is that of [Config.Validate], or of attaching the counts that
// scores go by to the snapshot.
func New(config Config) (*Loop, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	l := &Loop{config: config, eval: config.Evaluator, nominator: config.Execution.Nominator, scorer: &score.Scorer{}}
	l.groups = config.Snapshot.Release().Gates()["GenericWorkload"]
	if l.eval == nil {
		l.eval = &engine.Evaluator{}
	}
	if l.owns = l.nominator == nil; l.owns {
		l.nominator = &execution.Nominator{Release: config.Snapshot.Release(), Find: config.Snapshot.Pod}
	}
	if config.Place == nil {
		if err := l.scorer.Attach(config.Snapshot); err != nil {
			return nil, err
		}
	}
	e := &l.config.Execution
	e.Actions, e.Nominator, e.Release, e.Metrics = config.Actions, l.nominator, config.Snapshot.Release(), config.Metrics
	var err error
	if l.executor, err = execution.NewExecutor(*e); err != nil {
		return nil, err
	}
	l.failures = execution.FailureHandler{Actions: config.Actions, Queue: config.Queue, Nominator: l.nominator, Metrics: config.Metrics, Retry: e.Retry}
	return l, nil
}

// Executor is what carries plans out. A caller that does not use [Loop.Observe] tells it of pods
// that are gone.
func (l *Loop) Executor() *execution.Executor { return l.executor }

// Nominator has the nominations.
func (l *Loop) Nominator() *execution.Nominator { return l.nominator }

// ready reports a call that cannot begin.
func (l *Loop) ready(ctx context.Context) error {
	switch {
	case l == nil || l.executor == nil:
		return fmt.Errorf("attempt: %w: the loop was not made by New", outrank.ErrInvalid)
	case ctx == nil:
		return fmt.Errorf("attempt: %w: no context", outrank.ErrInvalid)
	}
	return nil
}

// Next pops the first pod, or group, and makes an attempt with it. Where nothing is to be tried
// the outcome is [Idle]. See [Loop.Attempt] for the rest.
func (l *Loop) Next(ctx context.Context, now time.Time) (*Result, error) {
	if err := l.ready(ctx); err != nil {
		return nil, err
	}
	entry, ok := l.config.Queue.TryPop(now)
	if !ok {
		return &Result{}, nil
	}
	return l.Attempt(ctx, entry, now)
}

// Attempt makes an attempt with an entry that was popped from the queue, and ends it: the pod
// is bound, back in the queue, or out of it. A pod that waits and is being deleted is dropped.
// The result is nil for an entry without a pod, and a context that is nil; it is complete
// beside any other error. The package comment lists these; for a group that has places any change
// of the snapshot during the attempt is one. The others are those of
// [execution.FailureHandler.Handle] and of [Config.Decided].
func (l *Loop) Attempt(ctx context.Context, entry queue.Entry, now time.Time) (*Result, error) {
	if err := l.ready(ctx); err != nil {
		return nil, err
	}
	if entry.Group != nil {
		return l.attemptGroup(ctx, entry, now)
	}
	pod := entry.Pod
	if pod == nil {
		return nil, fmt.Errorf("attempt: %w: an entry without a pod", outrank.ErrInvalid)
	}
	r := &Result{Entry: entry}
	if pod.NodeName == "" && pod.Terminating() {
		l.drop(r)
		return r, nil
	}
	revision, err := l.decide(ctx, r, now)
	f := execution.Failure{Entry: entry, Now: now, Plan: r.Decision.Plan}
	switch plan := r.Decision.Plan; {
	case err != nil:
		f.Err = err
	case len(r.Decision.Nodes) > 0:
		node, placeErr := l.place(ctx, pod, r.Decision.Nodes, revision)
		if placeErr == nil {
			return r, l.bind(ctx, r, node.Name, now)
		}
		f.Plan, f.Err = nil, placeErr
	case plan.Outcome == preemption.Fits:
		status := Permit(plan) // of a resize
		f.Plan, f.Refused = nil, &status
	case plan.Outcome == preemption.Preempts:
		if err := l.stillHolds(ctx, plan, now, revision); err != nil {
			f.Plan, f.Err = nil, err
			break
		}
		r.Report, f.ExecutionErr = l.executor.Execute(ctx, plan)
	}
	return r, l.fail(ctx, r, &f)
}

// decide brings the nominations in line, decides, and tells of it. It returns the revision of
// the snapshot that the decision is about.
func (l *Loop) decide(ctx context.Context, r *Result, now time.Time) (uint64, error) {
	snap, pod := l.config.Snapshot, r.Entry.Pod
	if l.owns {
		if _, known := snap.Pod(pod.Key()); !known {
			if err := snap.PutPod(pod); err != nil {
				return 0, err
			}
			_ = l.nominator.Add(pod, "") // news of a pod is no error
		}
	}
	if err := l.nominator.ApplyTo(snap); err != nil {
		return 0, err
	}
	decide, revision := l.config.Decide, snap.Revision()
	if decide == nil {
		decide = l.Decide
	}
	d, err := decide(ctx, pod, now)
	if l.config.Decide != nil {
		revision = snap.Revision()
	}
	if err == nil && len(d.Nodes) == 0 && d.Plan == nil {
		err = &hookError{fmt.Errorf("pod %s: %w: a decision without a node and without a plan", pod.Key(), outrank.ErrInvalid)}
	}
	r.Decision = d
	if err == nil && l.config.Decided != nil {
		if err := l.config.Decided(d); err != nil {
			r.Decision.Plan = nil
			return revision, &hookError{err}
		}
	}
	return revision, err
}

// hookError is an error of the caller's functions, which is returned as well.
type hookError struct{ error }

func (e *hookError) Unwrap() error { return e.error }

// Decide decides about a pod, on the snapshot as it is: the nodes that take it or, where none
// does, who has to leave (steps 2 and 3 of kube-scheduler's scheduling cycle). Where the node
// that it is nominated to takes it, that is the only one ([engine.Evaluator.FeasibleNominated]:
// the nomination of the snapshot counts, and the pod's own only where the snapshot does not know
// the pod). Preemption is asked before the nodes are listed, because it remembers answers about
// equal pods. For a pod whose resize is to have room it is asked alone. The errors are those of
// [engine.Evaluator.Preempt]; beside that of an extender comes a plan. Nothing is changed.
func (l *Loop) Decide(ctx context.Context, pod *outrank.Pod, now time.Time) (Decision, error) {
	if err := l.ready(ctx); err != nil {
		return Decision{}, err
	}
	snap := l.config.Snapshot
	if pod != nil && pod.NodeName == "" && (pod.NominatedNodeName != "" || snap.NominationOf(pod.Key()) != "") {
		node, err := l.eval.FeasibleNominated(ctx, snap, pod)
		switch {
		case err != nil:
			return Decision{}, err
		case node != nil:
			return Decision{Nodes: []*outrank.Node{node}}, nil
		}
	}
	plan, err := l.eval.Preempt(ctx, snap, pod, now)
	if err != nil || plan.Outcome != preemption.Fits || plan.Resize {
		return Decision{Plan: plan}, err
	}
	nodes, err := l.eval.Feasible(ctx, snap, pod)
	return Decision{Nodes: nodes}, err
}

// stale is the error about a decision that does not hold any more.
func stale(pod *outrank.Pod, why any) error {
	return fmt.Errorf("pod %s: %w: the snapshot was changed during the attempt: %v", pod.Key(), engine.ErrStale, why)
}

// stillHolds reports a plan that does not hold any more because the snapshot was changed.
func (l *Loop) stillHolds(ctx context.Context, plan *preemption.Plan, now time.Time, revision uint64) error {
	if l.config.Snapshot.Revision() == revision {
		return nil
	}
	if err := l.eval.Verify(ctx, l.config.Snapshot, plan, now); err != nil {
		return stale(plan.Pod, err)
	}
	return nil
}

// place chooses among the nodes that take a pod.
func (l *Loop) place(ctx context.Context, pod *outrank.Pod, nodes []*outrank.Node, revision uint64) (*outrank.Node, error) {
	node, snap := nodes[0], l.config.Snapshot
	if len(nodes) > 1 {
		var err error
		if node, err = l.choose(ctx, pod, nodes); err != nil {
			return nil, err
		}
	}
	if node == nil {
		return nil, &hookError{fmt.Errorf("pod %s: %w: no node of those that take it was chosen", pod.Key(), outrank.ErrInvalid)}
	}
	if snap.Revision() == revision {
		return node, nil
	}
	status, err := l.eval.Check(snap, pod, node.Name)
	switch {
	case err != nil:
		return nil, stale(pod, err)
	case status.Code != preemption.Success:
		return nil, stale(pod, fmt.Sprintf("node %s does not take it: %v", node.Name, status))
	}
	return node, nil
}

func (l *Loop) choose(ctx context.Context, pod *outrank.Pod, nodes []*outrank.Node) (*outrank.Node, error) {
	if l.config.Place != nil {
		return l.config.Place(ctx, pod, nodes)
	}
	ranking, err := l.scorer.Score(ctx, l.config.Snapshot, pod, nodes)
	if err != nil {
		return nil, err
	}
	return ranking.Choose(l.config.Ties), nil
}

// bind binds the pod, or deals with the failure of that.
func (l *Loop) bind(ctx context.Context, r *Result, node string, now time.Time) error {
	pod, retry, revision := r.Entry.Pod, l.config.Execution.Retry, l.config.Snapshot.Revision()
	r.Node = node
	err := retry.Bind(ctx, l.config.Snapshot.Release(), func(ctx context.Context) error {
		return l.config.Actions.Bind(ctx, pod, node)
	})
	if err != nil {
		r.Node = ""
		return l.fail(ctx, r, &execution.Failure{Entry: r.Entry, Now: now, Err: err, Node: node})
	}
	r.Outcome = Bound
	var seatErr error
	if l.config.Snapshot.Revision() == revision {
		seatErr = l.seat(pod, node)
	}
	l.nominator.Remove(pod)
	l.config.Queue.Done(r.Entry)
	l.countBound(r, now)
	return seatErr
}

// seat puts a pod on its node in the snapshot.
func (l *Loop) seat(pod *outrank.Pod, node string) error {
	snap, key := l.config.Snapshot, pod.Key()
	err := snap.Bind(key, node)
	if err == nil {
		return nil
	}
	if _, known := snap.Pod(key); known {
		return err
	}
	if err := snap.AddPod(pod); err != nil {
		return err
	}
	return snap.Bind(key, node)
}

func (l *Loop) countBound(r *Result, now time.Time) {
	metrics, a := l.config.Metrics, execution.Attempt{Result: execution.ResultScheduled, Profile: l.profile(r.Entry.Pod)}
	if metrics == nil {
		return
	}
	metrics.AddAttempt(a)
	if l.config.Took != nil {
		metrics.AddAttemptDuration(a, l.config.Took())
	}
	metrics.AddScheduled(r.Entry.Attempts, now.Sub(r.Entry.FirstEnqueued))
}

// profile is the name of the scheduler that tries a pod.
func (l *Loop) profile(pod *outrank.Pod) string {
	return cmp.Or(l.config.Execution.Scheduler, pod.Scheduler())
}

// fail is the other end of an attempt.
func (l *Loop) fail(ctx context.Context, r *Result, f *execution.Failure) error {
	f.Release, f.Variant, f.Profile = l.config.Snapshot.Release(), l.config.Execution.Variant, l.profile(f.Entry.Pod)
	if l.config.Took != nil {
		took := l.config.Took()
		f.Took = &took
	}
	r.Err = cmp.Or(f.Err, f.ExecutionErr)
	var err error
	r.Failure, err = l.failures.Handle(ctx, *f)
	r.Outcome = Waiting
	switch {
	case r.Failure == nil:
		l.config.Queue.Done(f.Entry) // nothing was done about it
		r.Outcome = Dropped
	case r.Failure.Requeue != execution.Requeued:
		r.Outcome = Dropped
		l.forget(r)
	case f.Plan != nil && f.Plan.Outcome == preemption.Preempts && f.ExecutionErr == nil:
		r.Outcome, r.Node = Preempting, f.Plan.Node
	}
	return errors.Join(misuse(f.Err), err)
}

// forget takes a pod out of the loop's snapshot that is gone.
func (l *Loop) forget(r *Result) {
	snap, pod := l.config.Snapshot, r.Entry.Pod
	if known, ok := snap.Pod(pod.Key()); l.owns && ok && r.Failure.Requeue == execution.NotRequeuedGone && known.UID == pod.UID && snap.NodeOf(pod.Key()) == "" {
		_ = snap.RemovePod(pod.Key()) // it is there
	}
}

// drop ends an attempt with a pod that is being deleted.
func (l *Loop) drop(r *Result) {
	r.Outcome = Dropped
	l.nominator.Remove(r.Entry.Pod)
	l.config.Queue.Done(r.Entry)
}

// misuse is the part of an error that is not dealt with by putting the pod back.
func misuse(err error) error {
	if err == nil {
		return nil
	}
	var hook *hookError
	switch {
	case errors.As(err, &hook):
		return hook.error
	case errors.Is(err, engine.ErrStale), errors.Is(err, preemption.ErrState), errors.Is(err, preemption.ErrExists):
		return err
	}
	return nil
}
