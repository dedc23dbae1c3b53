package schedules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/resource"
)

// Library is a scheduler of the library's parts: a loop of attempts, or, where plans are carried out in the
// background, the parts of one put together by hand.
type Library struct {
	schedule *Schedule
	port     *Port
	snap     *engine.Snapshot
	queue    *queue.Queue
	loop     *attempt.Loop
	// meek decides about pods that never preempt.
	meek *engine.Evaluator
	// was is what the last version of each pod was delivered as, by name.
	was map[string]*outrank.Pod
}

// NewLibrary is a [Maker].
func NewLibrary(s *Schedule, port *Port) (Brain, error) {
	snap, err := engine.NewSnapshot(&outrank.Cluster{})
	if err != nil {
		return nil, err
	}
	return Over(snap, s, port, nil)
}

// Over makes a scheduler over a snapshot that may be kept up to date by others. Without actions, its calls go to
// the port.
func Over(snap *engine.Snapshot, s *Schedule, port *Port, actions *execution.Actions) (*Library, error) {
	l := &Library{schedule: s, port: port, snap: snap, was: map[string]*outrank.Pod{}}
	config := execution.Config{Parallel: s.Parallel, Wait: wait}
	if actions != nil {
		config.Actions = *actions
	} else {
		config.Actions = l.actions()
	}

	// What runs in the background may not ask a snapshot for the latest versions of pods.
	if s.Background {
		config.Nominator = &execution.Nominator{Find: l.find}
	}
	profile := preemption.Profile{Schedulers: []string{Usual, Meek}}
	usual, err := engine.New(preemption.Config{Profile: profile})
	if err != nil {
		return nil, err
	}
	profile.Off = []string{preemption.DefaultPreemption}
	if l.meek, err = engine.New(preemption.Config{Profile: profile}); err != nil {
		return nil, err
	}
	gate := queue.Gate{Name: "Preempting", Holds: func(p *outrank.Pod) bool { return l.loop.Executor().Preempting(p) }}
	if l.queue, err = queue.New(queue.Config{Gates: []queue.Gate{gate}}); err != nil {
		return nil, err
	}
	l.loop, err = attempt.New(attempt.Config{
		Snapshot: snap, Queue: l.queue, Evaluator: usual, Decide: l.decide, Decided: l.decided,
		Execution: config,
	})
	return l, err
}

// find returns the version of a pod that was seen last.
func (l *Library) find(key outrank.Key) (*outrank.Pod, bool) {
	_, name, _ := strings.Cut(string(key), "/")
	if latest := l.port.Latest(name); latest != nil {
		return converted(latest), true
	}
	return nil, false
}

// Activate lets a pod be tried again at once.
func (l *Library) Activate(pod *outrank.Pod) { l.queue.Activate(pod) }

// wait is for tries that follow one another.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// actions are calls to the port.
func (l *Library) actions() execution.Actions {
	do := func(ctx context.Context, p *outrank.Pod, c Call) error {
		c.Pod, c.UID = p.Name, p.UID
		return said(l.port.Do(ctx, c))
	}
	return execution.Actions{
		Latest: func(_ context.Context, pod *outrank.Pod) (*outrank.Pod, error) {
			if latest, ok := l.find(pod.Key()); ok {
				return latest, nil
			}
			return nil, preemption.ErrNotFound
		},
		Evict: func(ctx context.Context, e execution.Eviction) error {
			return do(ctx, e.Victim, Call{Op: Evict, For: e.Preemptor.UID})
		},
		Nominate: func(ctx context.Context, pod *outrank.Pod, node string) error {
			return do(ctx, pod, Call{Op: Nominate, Node: node})
		},
		ClearNomination: func(ctx context.Context, pod *outrank.Pod) error {
			err := do(ctx, pod, Call{Op: Nominate})
			l.Activate(pod)
			return err
		},
		Activate: l.Activate,
		UpdateStatus: func(ctx context.Context, pod *outrank.Pod, why outrank.PodCondition, n execution.Nomination) error {
			return do(ctx, pod, Call{Op: Status, Node: n.Node, Override: n.Override, Why: why.Message})
		},
		Bind: func(ctx context.Context, pod *outrank.Pod, node string) error {
			return do(ctx, pod, Call{Op: Bind, Node: node})
		},
	}
}

// said puts an error of the server in the words of the library.
func said(err error) error {
	switch {
	case errors.Is(err, ErrGone):
		return fmt.Errorf("%w: %w", preemption.ErrNotFound, err)
	case errors.Is(err, ErrBusy):
		return fmt.Errorf("%w: %w", execution.ErrRetriable, err)
	}
	return err
}

// decide decides by the profile of the pod.
func (l *Library) decide(ctx context.Context, pod *outrank.Pod, now time.Time) ([]*outrank.Node, *preemption.Plan, error) {
	if pod.SchedulerName != Meek {
		return l.loop.Decide(ctx, pod, now)
	}
	plan, err := l.meek.Preempt(ctx, l.snap, preemption.Request{Pod: pod, Now: now})
	if err != nil || plan.Outcome != preemption.Fits {
		return nil, plan, err
	}
	nodes, err := l.meek.Feasible(ctx, l.snap, pod)
	return nodes, nil, err
}

// decided tells the judge of a plan.
func (l *Library) decided(_ []*outrank.Node, decision preemption.Decision) error {
	if plan, ok := decision.(*preemption.Plan); ok && plan.Outcome == preemption.Preempts {
		l.port.Decided(plan.Pod.UID, victimsOf(plan))
	}
	return nil
}

func victimsOf(plan *preemption.Plan) (uids []string) {
	for _, v := range plan.Victims {
		uids = append(uids, v.Pod.UID)
	}
	return uids
}

// Next makes an attempt, in the way that the schedule says.
func (l *Library) Next(ctx context.Context) bool {
	if l.schedule.Background {
		return l.beside(ctx)
	}
	r, err := l.loop.Next(ctx, time.Now())
	l.blame(err)
	if r.Report != nil {
		plan := r.Plan.(*preemption.Plan)
		l.port.Carried(plan.Pod.UID, victimsOf(plan), r.Err == nil && r.Report.Result == execution.Completed)
	}
	return r.Outcome != attempt.Idle
}

// blame tells the judge of an error that says that the scheduler itself is wrong. A call that went wrong is no such
// error.
func (l *Library) blame(err error) {
	for _, bad := range []error{engine.ErrStale, preemption.ErrState, outrank.ErrInvalid} {
		if errors.Is(err, bad) {
			l.port.Broken(fmt.Sprintf("an attempt makes no sense: %v", err))
		}
	}
}

// Pod tells the loop of a pod.
func (l *Library) Pod(old, new *Pod) {
	var a, b any
	if old != nil {
		a = l.was[old.Name]
		delete(l.was, old.Name)
	}
	if new != nil {
		made := converted(new)
		l.was[new.Name], b = made, made
	}
	l.Observe(a, b)
}

// Node tells the loop of a node.
func (l *Library) Node(old, new *Node) {
	var a, b any
	if old != nil {
		a = convertedNode(old)
	}
	if new != nil {
		b = convertedNode(new)
	}
	l.Observe(a, b)
}

// Observe tells the loop of what has changed, in the words of the library.
func (l *Library) Observe(old, new any) {
	if _, err := l.loop.Observe(old, new, time.Now()); err != nil {
		l.port.Broken(fmt.Sprintf("an event is refused: %v", err))
	}
}

// Queued reports whether a pod is in the queue.
func (l *Library) Queued(uid string) bool {
	parts := l.queue.Pending()
	return slices.ContainsFunc(slices.Concat(parts.Active, parts.Backoff, parts.Unschedulable, parts.Gated), func(e queue.Entry) bool {
		return e.Pod.UID == uid
	})
}

// converted is a pod in the words of the library.
func converted(p *Pod) *outrank.Pod {
	made := &outrank.Pod{
		Name: p.Name, UID: p.UID, Priority: &p.Priority, SchedulerName: p.Profile, NodeName: p.Node, NominatedNodeName: p.Nominated,
		Containers: []outrank.Container{{Name: "c", Requests: resource.List{resource.CPU: resource.New(p.CPU)}}},
	}
	if p.Leaves {
		made.DeletionTimestamp = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if p.Preempted {
		made.DisruptionReason = outrank.PreemptionByScheduler
	}
	if p.Node != "" {
		made.StartTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return made
}

// convertedNode is a node in the words of the library.
func convertedNode(n *Node) *outrank.Node {
	return &outrank.Node{Name: n.Name, Allocatable: resource.List{resource.CPU: resource.New(n.CPU), resource.Pods: resource.New(110)}}
}
