// Package queuepair answers whether this library's scheduling queue takes the same steps as the queue of
// kube-scheduler v1.37.
//
// A [Pair] takes the place of a live scheduler's queue. Each call goes to the scheduler's own queue and then to a
// queue of this library, at the same time of the same clock. The two are compared whenever a pod is popped and
// whenever [Pair.Compare] is called. The rest of the package is for tests that drive both queues by themselves.
package queuepair

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/outrank-go/outrank"
	ourqueue "github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Began is the time at which the clock of a [Pair] begins.
var Began = time.Date(2026, 3, 1, 12, 0, 0, 123, time.UTC)

// Pair is a scheduler's queue in lockstep with a queue of this library. Any number of goroutines may use it at
// once. [New] makes one.
type Pair struct {
	queue.SchedulingQueue
	theirs    *queue.PriorityQueue
	ours      *ourqueue.Queue
	release   outrank.Release
	scheduler *scheduler.Scheduler
	clock     *testingclock.FakeClock

	mu sync.Mutex
	// flying are the pods that were popped.
	flying map[types.UID]ourqueue.Entry
	// binding are the pods among them whose binding is under way. The scheduler is done with them, but they may
	// come back.
	binding map[types.UID]bool
	// about has, for each event that our queue was told of, the reference's event that it stands for.
	about map[ourqueue.ClusterEvent]happened
	// updates has the same for each new version of a pod that waits.
	updates map[*outrank.Pod]happened
	// only is the only pod that an event under way may move; empty for all pods.
	only     types.UID
	gates    *gates
	counts   map[string]int
	problems []string
}

// New returns a pair with the rules of a release. [Pair.Follow] gives it a scheduler.
func New(release outrank.Release) *Pair {
	return &Pair{
		release: release, clock: testingclock.NewFakeClock(Began), counts: map[string]int{}, gates: newGates(),
		flying: map[types.UID]ourqueue.Entry{}, binding: map[types.UID]bool{},
		about: map[ourqueue.ClusterEvent]happened{}, updates: map[*outrank.Pod]happened{},
	}
}

// Options returns options that the scheduler must be made with.
func (p *Pair) Options() []scheduler.Option { return []scheduler.Option{scheduler.WithClock(p.clock)} }

// Follow puts the pair in place of the queue of a scheduler with these frameworks. The queue must be empty.
func (p *Pair) Follow(sched *scheduler.Scheduler, profiles map[string]framework.Framework) error {
	theirs, ok := sched.SchedulingQueue.(*queue.PriorityQueue)
	if !ok {
		return fmt.Errorf("the scheduler's queue is a %T", sched.SchedulingQueue)
	}
	p.SchedulingQueue, p.theirs, p.scheduler = theirs, theirs, sched
	var err error
	p.ours, err = ourqueue.New(ourqueue.Config{Release: p.release, Helps: p.helps, Gates: p.gates.watch(theirs)})
	if err != nil {
		return err
	}
	sched.SchedulingQueue, sched.NextEntity = p, p.Pop
	for _, f := range profiles {
		f.SetPodActivator(p)
	}
	return nil
}

// problem records a difference that is found at once. Compare returns it.
func (p *Pair) problem(format string, args ...any) {
	p.problems = append(p.problems, fmt.Sprintf(format, args...))
}

func (p *Pair) check(what string, err error) {
	if err != nil {
		p.problem("%s: %v", what, err)
	}
}

// lock begins an operation. The clock moves on, so that no two operations have the same time.
func (p *Pair) lock() (now time.Time) {
	p.mu.Lock()
	p.clock.Step(997 * time.Nanosecond)
	return p.clock.Now()
}

// Pass lets time pass, and makes both queues look at the clock.
func (p *Pair) Pass(d time.Duration) {
	p.clock.Step(d)
	now := p.lock()
	defer p.mu.Unlock()
	FlushBackoff(p.theirs, klog.Background())
	FlushUnschedulable(p.theirs, klog.Background())
	p.ours.Flush(now)
}

// Ready reports whether there is a pod to be popped.
func (p *Pair) Ready() bool { return Poppable(p.theirs, true) }

// Counts returns the counts so far, by name.
func (p *Pair) Counts() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.counts)
}

// Compare returns the differences of the queues, if any.
func (p *Pair) Compare() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.problems) > 0 {
		return p.problems
	}

	// The reference's queue has forgotten the pods that are being bound.
	theirs, ours := Theirs(p.theirs, Began, p.gates.names()...), Ours(p.ours, Began)
	for uid := range p.binding {
		if ours[string(uid)].Part == "in flight" {
			delete(ours, string(uid))
		}
	}

	p.counts["queue: compared"]++
	for _, s := range ours {
		p.counts["queue: pods "+s.Part]++
		if s.Gate != "" {
			p.counts["queue: pods held by "+s.Gate]++
		}
	}

	var lines []string
	for _, uid := range slices.Sorted(maps.Keys(theirs)) {
		if diff := cmp.Diff(theirs[uid], ours[uid]); diff != "" {
			lines = append(lines, fmt.Sprintf("%s (-kube-scheduler +outrank):\n%s", uid, diff))
		}
		delete(ours, uid)
	}
	for _, uid := range slices.Sorted(maps.Keys(ours)) {
		lines = append(lines, fmt.Sprintf("%s: %+v, which kube-scheduler does not have", uid, ours[uid]))
	}
	return lines
}

// Pop takes the first pod of both queues, which must be the same pod. If there is none it returns nil at once.
func (p *Pair) Pop(logger klog.Logger) (framework.QueuedEntityInfo, error) {
	p.lock()
	defer p.mu.Unlock()
	if !Poppable(p.theirs, true) {
		return nil, nil
	}

	// Events matter to attempts under way. Without any, earlier events are not asked about any more.
	if p.ours.Counts().InFlight == 0 {
		clear(p.about)
		clear(p.updates)
	}

	// With an empty active queue the reference pops a pod whose backoff is not over yet.
	if len(p.theirs.PodsInActiveQ()) == 0 {
		p.counts["queue: popped from backoff"]++
	}
	entity, err := p.SchedulingQueue.Pop(logger)
	if err != nil {
		return nil, err
	}
	theirs, ok := entity.(*framework.QueuedPodInfo)
	if !ok {
		return nil, fmt.Errorf("popped a %T", entity)
	}

	// Our queue waits if it has no pod, which would be a difference.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	e, err := p.ours.Pop(ctx)
	switch {
	case err != nil:
		p.problem("kube-scheduler pops %s, outrank nothing: %v", theirs.Pod.UID, err)
		return entity, nil
	case e.Group != nil || e.Pod.UID != string(theirs.Pod.UID) || e.Attempts != theirs.Attempts:
		p.problem("kube-scheduler pops %s at attempt %d, outrank %+v", theirs.Pod.UID, theirs.Attempts, e)
		return entity, nil
	}
	p.counts["queue: popped"]++
	p.flying[theirs.Pod.UID] = e
	return entity, nil
}
