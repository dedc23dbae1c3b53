package attempt

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// fail ends an attempt in which the pod of the result got no node. The failure says why; fail fills in its
// entry, queue and time.
func (l *Loop) fail(ctx context.Context, r *Result, now time.Time, f execution.Failure) error {
	pod := r.Entry.Pod
	f.Entry, f.Queue, f.Now = r.Entry, l.queue, now

	// The duration of the attempt is taken here, as in the reference: handling the failure is not part of it.
	took := l.measured()
	done, err := l.executor.Fail(ctx, f)
	l.meter.AddFailure(l.profile(pod), done, took)
	r.Failure, r.Err = done, f.Err

	r.Outcome = Waiting
	switch {
	case done == nil:
		l.queue.Done(f.Entry) // Fail could not begin, so the attempt is ended here
		r.Outcome = Dropped
	case done.Result != execution.Requeued:
		r.Outcome = Dropped
		if done.Result == execution.Gone {
			l.forget(pod)
		}
	case r.Report != nil && f.Err == nil:
		r.Outcome, r.Node = Preempting, r.Report.Node
	}

	// An error of executing a plan needs no more than putting the pod back.
	if r.Report != nil {
		return err
	}
	return errors.Join(misuse(f.Err), err)
}

// measured returns how long the attempt has taken, nil without a clock.
func (l *Loop) measured() *time.Duration {
	if l.took == nil {
		return nil
	}
	took := l.took()
	return &took
}

// profile returns the name of the scheduler under which an attempt with a pod is counted.
func (l *Loop) profile(pod *outrank.Pod) string { return cmp.Or(l.scheduler, pod.Scheduler()) }

// forget takes a pod that is gone out of the snapshot, unless it is on a node or another pod has its name by
// now. A caller with a nominator of its own keeps the snapshot itself.
func (l *Loop) forget(pod *outrank.Pod) {
	if !l.owns {
		return
	}
	key := pod.Key()
	if known, ok := l.snap.Pod(key); ok && known.UID == pod.UID && l.snap.NodeOf(key) == "" {
		_ = l.snap.RemovePod(key) // no error: the pod is known
	}
}

// misuse returns the error if it is about a mistake of the caller, which the caller must be told of. It is nil
// for any other error, which needs no more than putting the pod back.
func misuse(err error) error {
	if err == nil {
		return nil
	}

	var hook *hookError
	switch {
	case errors.As(err, &hook):
		return hook.error
	case errors.Is(err, engine.ErrStale), errors.Is(err, preemption.ErrState):
		return err
	}
	return nil
}
