package schedules

import (
	"context"
	"fmt"
	"time"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// beside makes an attempt by hand, as the framework of kube-scheduler does: a plan is carried out by a goroutine
// of its own while the next attempts are made, and the pod goes back to the queue at once.
func (l *Library) beside(ctx context.Context) bool {
	entry, ok := l.queue.TryPop(time.Now())
	if !ok {
		return false
	}
	if entry.Pod.Terminating() {
		l.loop.Nominator().Remove(entry.Pod)
		l.queue.Done(entry)
		return true
	}
	f := execution.Failure{Entry: entry, Queue: l.queue}
	f.Err = l.loop.Nominator().ApplyTo(l.snap)
	if f.Err == nil {
		f.Plan, f.Node, f.Err = l.ask(ctx, entry)
	}
	if f.Node != "" {
		if f.Err = l.loop.Executor().Bind(ctx, l.snap.Release(), entry.Pod, f.Node); f.Err == nil {
			l.seat(entry, f.Node)
			return true
		}
	}
	f.Now = time.Now()
	_, err := l.loop.Executor().Fail(ctx, f)
	l.blame(err)
	return true
}

// ask decides about a pod. A plan to preempt is begun at once.
func (l *Library) ask(ctx context.Context, entry queue.Entry) (preemption.Decision, string, error) {
	nodes, plan, err := l.decide(ctx, entry.Pod, time.Now())
	switch {
	case err != nil:
		return nil, "", err
	case len(nodes) > 0:
		return nil, nodes[0].Name, nil
	case plan.Outcome == preemption.Preempts:
		_ = l.decided(nil, plan)
		l.port.Go(func() {
			report, err := l.loop.Executor().Execute(ctx, plan)
			l.port.Carried(plan.Pod.UID, victimsOf(plan), err == nil && report.Result == execution.Completed)
		})
	}
	return plan, "", nil
}

// seat puts a pod that is bound on its node, before the watch tells of it.
func (l *Library) seat(entry queue.Entry, node string) {
	if err := l.snap.Bind(entry.Pod.Key(), node); err != nil {
		l.port.Broken(fmt.Sprintf("a bound pod has no place: %v", err))
	}
	l.loop.Nominator().Remove(entry.Pod)
	l.queue.Done(entry)
}
