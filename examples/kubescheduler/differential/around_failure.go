package differential

import (
	"context"
	"errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// backInQueue takes the pod out of a queue of this library and puts it back with its failure. It returns the
// part of the queue in which the pod ends.
func backInQueue(f *execution.Failure, release outrank.Release) (*execution.Verdict, string, error) {
	q, err := queue.New(queue.Config{Release: release})
	if err != nil {
		return nil, "", err
	}
	if err := q.Add(f.Entry.Pod, f.Now); err != nil {
		return nil, "", err
	}

	entry, ok := q.TryPop(f.Now)
	if !ok {
		return nil, "", errors.New("the pod is not in the queue")
	}
	f.Entry, f.Queue = entry, q

	executor, err := execution.NewExecutor(execution.Config{})
	if err != nil {
		return nil, "", err
	}
	verdict, err := executor.Fail(context.Background(), *f)
	if err != nil {
		return nil, "", err
	}

	// The pod is alone in the queue.
	pending := q.Pending()
	part := "none"
	switch {
	case len(pending.Active) > 0:
		part = "active"
	case len(pending.Backoff) > 0:
		part = "backoff"
	case len(pending.Unschedulable) > 0:
		part = "unschedulable"
	}
	return verdict, part, nil
}
