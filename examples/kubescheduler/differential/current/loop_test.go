package current

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// An attempt loop with an execution.Config that has the actions alone, told of the same events, does to the cluster
// what a live scheduler does: it binds, evicts, nominates, and clears the nominations of the same
// pods. More of it: -sequences 5000 -sequence-seed 1000.
func TestSequenceOfALoop(t *testing.T) {
	runSequences(t, *sequences/6, []string{"resources", "budgets", "filters", "affinity", "spread", "nominated", "resizes"}, differential.Sequence{
		Attempts: attempts, Harness: Harness, Follow: follow(outrank.V1_37), Rival: rival, Loop: newLooping,
	})
}

// looping makes the scheduler's attempts with an attempt loop, and is its cluster.
type looping struct {
	eval *engine.Evaluator
	snap *engine.Snapshot
	q    *queue.Queue
	loop *attempt.Loop
	now  time.Time
	// latest are the pods that the informers know. wrong is what went wrong between attempts.
	latest map[outrank.Key]*outrank.Pod
	wrong  []string

	// host is where the scheduler has bound the pod of the present attempt: which of equal nodes
	// it takes is left to chance. The others are what the loop does in the attempt.
	host             string
	mu               sync.Mutex
	evicted, cleared []string
	bound            []string
}

func newLooping() differential.LoopFollower {
	l := &looping{latest: map[outrank.Key]*outrank.Pod{}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	var errs [4]error
	l.snap, errs[0] = engine.NewSnapshot(&outrank.Cluster{Release: outrank.V1_37})
	l.eval, errs[1] = engine.New(preemption.Config{Profile: preemption.Profile{Schedulers: differential.ProfileNames}})
	l.q, errs[2] = queue.New(queue.Config{Release: outrank.V1_37})
	l.loop, errs[3] = attempt.New(attempt.Config{Snapshot: l.snap, Queue: l.q, Execution: execution.Config{Actions: l.actions()}, Evaluator: l.eval, Place: l.place})
	l.note(errors.Join(errs[:]...))
	return l
}

func (l *looping) note(err error) {
	if err != nil {
		l.wrong = append(l.wrong, err.Error())
	}
}

func (l *looping) place(_ context.Context, _ *outrank.Pod, nodes []*outrank.Node) (*outrank.Node, error) {
	if i := slices.IndexFunc(nodes, func(n *outrank.Node) bool { return n.Name == l.host }); i >= 0 {
		return nodes[i], nil
	}
	return nodes[0], nil
}

// Observe passes on what the informers deliver.
func (l *looping) Observe(before, after any) {
	l.now = l.now.Add(time.Second)
	old, new := l.converted(before), l.converted(after)
	if p, ok := old.(*outrank.Pod); ok {
		delete(l.latest, p.Key())
	}
	if p, ok := new.(*outrank.Pod); ok {
		l.latest[p.Key()] = p
	}
	_, err := l.loop.Observe(old, new, l.now)
	l.note(err)
}

func (l *looping) converted(object any) any {
	var out any
	var err error
	switch o := object.(type) {
	case nil:
		return nil
	case *corev1.Pod:
		out, err = convert.Pod(o)
	case *corev1.Node:
		out, err = convert.Node(o)
	case *corev1.Namespace:
		out, err = convert.Namespace(o)
	case *policyv1.PodDisruptionBudget:
		out, err = convert.Budget(o)
	default:
		err = fmt.Errorf("%T is not looked at", object)
	}
	l.note(err)
	return out
}

// The loop's calls succeed; the scheduler's own are what changes the cluster.

func (l *looping) actions() execution.Actions {
	return execution.Actions{Latest: l.latestOf, Evict: l.evict, ClearNomination: l.clear, Bind: l.bind}
}

func (l *looping) latestOf(_ context.Context, p *outrank.Pod) (*outrank.Pod, error) {
	if is := l.latest[p.Key()]; is != nil && is.UID == p.UID {
		return is, nil
	}
	return nil, preemption.ErrNotFound
}

func (l *looping) evict(_ context.Context, e execution.Eviction) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.evicted = append(l.evicted, string(e.Victim.Key()))
	return nil
}

func (l *looping) clear(_ context.Context, p *outrank.Pod) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cleared = append(l.cleared, string(p.Key()))
	return nil
}

func (l *looping) bind(_ context.Context, _ *outrank.Pod, node string) error {
	l.bound = append(l.bound, node)
	return nil
}

// popped takes the pod out of the queue, and puts back those that come before it.
func (l *looping) popped(pod *corev1.Pod) (queue.Entry, bool) {
	l.now = l.now.Add(time.Hour)
	l.q.Activate(&outrank.Pod{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)})
	var before []queue.Entry
	defer func() {
		for _, e := range before {
			e.FailedFilters = []string{preemption.NodeResourcesFit}
			l.note(l.q.AddUnschedulableIfNotPresent(e, l.now))
		}
	}()
	for {
		e, ok := l.q.TryPop(l.now)
		if !ok {
			return queue.Entry{}, false
		}
		if e.Pod.UID == string(pod.UID) {
			return e, true
		}
		before = append(before, e)
	}
}

// Attempt makes the attempt.
func (l *looping) Attempt(pod *corev1.Pod, done differential.Attempted) (differences []string, end string) {
	l.host, l.evicted, l.cleared, l.bound = done.Bound, nil, nil, nil
	entry, ok := l.popped(pod)
	if !ok {
		return append(l.wrong, "the pod is not in the queue"), "not in the queue"
	}
	var explained *preemption.Plan
	if done.Preempts {
		var err error
		explained, err = l.eval.Explain(context.Background(), l.snap, preemption.Request{Pod: entry.Pod, Now: l.now})
		l.note(err)
	}
	nominated := l.loop.Nominator().NodeOf(entry.Pod.Key())
	r, err := l.loop.Attempt(context.Background(), entry, l.now)
	if l.note(err); err == nil {
		l.note(r.Err)
	}
	if len(l.wrong) > 0 {
		return l.wrong, "an error"
	}
	if done.Preempts && r.Outcome == attempt.Preempting && r.Node != done.Nominated && tied(explained, r.Node, done.Nominated) {
		return nil, "equal candidates"
	}

	differ := func(what string, theirs, ours any) {
		if a, b := fmt.Sprint(theirs), fmt.Sprint(ours); a != b {
			differences = append(differences, fmt.Sprintf("%s: the scheduler %s, the loop %s", what, a, b))
		}
	}
	outcome, nomination := attempt.Waiting, done.Nominated
	switch {
	case done.Fits:
		outcome, nomination = attempt.Bound, ""
		differ("bound to", []string{done.Bound}, l.bound)
	case done.Preempts:
		outcome = attempt.Preempting
	case done.Nominated == differential.NominationKept:
		nomination = nominated
	}
	slices.Sort(l.evicted)
	slices.Sort(l.cleared)
	differ("outcome", outcome, r.Outcome)
	differ("nominated to", nomination, l.loop.Nominator().NodeOf(entry.Pod.Key()))
	differ("evicted", done.Evicted, l.evicted)
	differ("cleared", done.Cleared, l.cleared)
	return differences, ""
}

// tied reports whether two candidates have the same score, so that either may be chosen.
func tied(e *preemption.Plan, a, b string) bool {
	of := map[string]preemption.Score{}
	for i := range e.Candidates {
		of[e.Candidates[i].Node] = e.Candidates[i].Score
	}
	x, isX := of[a]
	y, isY := of[b]
	return isX && isY && reflect.DeepEqual(x, y)
}
