package lockstep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/schedulinggates"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	testingclock "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/internal/queuepair"
	ourqueue "github.com/outrank-go/outrank/preemption/scheduler/queue"
)

var began = time.Date(2026, 3, 1, 12, 0, 0, 123, time.UTC)

const unschedulableTimeout = 20 * time.Second

// waiting is a pod that is known to both queues.
type waiting struct {
	pod  *corev1.Pod
	ours *outrank.Pod
	// since is when it was added, and gated whether it had scheduling gates then.
	since time.Time
	gated bool
}

// attempt is one that is under way.
type attempt struct {
	theirs framework.QueuedEntityInfo
	ours   ourqueue.Entry
	gone   bool // its pod was deleted meanwhile
	// lost are the members of a group that were.
	lost []string
}

// queues are both queues and the state of the API server.
type queues struct {
	clock    *testingclock.FakeClock
	theirs   *queue.PriorityQueue
	ours     *ourqueue.Queue
	early    bool
	held     holding
	pods     map[string]*waiting
	attempts []*attempt
	uids     int
	did      map[string]int
}

var informerFactory = informers.NewSharedInformerFactory(fake.NewClientset(), 0)

func newQueues(t *rapid.T, recorder *metrics.MetricAsyncRecorder, early bool, release outrank.Release, did map[string]int) *queues {
	q := &queues{clock: testingclock.NewFakeClock(began), held: holding{}, pods: map[string]*waiting{}, early: early, did: did}
	gates := map[string]map[string]fwk.PreEnqueuePlugin{outrank.DefaultScheduler: {
		schedulinggates.Name: &schedulinggates.SchedulingGates{}, hold: q.held,
	}}
	q.theirs = queue.NewPriorityQueue((&queuesort.PrioritySort{}).Less, informerFactory,
		queue.WithClock(q.clock), queue.WithMetricsRecorder(recorder), queue.WithPreEnqueuePluginMap(gates),
		queue.WithPodMaxInUnschedulablePodsDuration(unschedulableTimeout),
		queue.WithQueueingHintMapPerProfile(queue.QueueingHintMapPerProfile{outrank.DefaultScheduler: hintMap()}))
	var err error
	q.ours, err = ourqueue.New(ourqueue.Config{
		Release: release, UnschedulableTimeout: unschedulableTimeout, NoEarlyPop: !early, Helps: helps, Gates: []ourqueue.Gate{q.held.gate()},
	})
	require.NoError(t, err)
	return q
}

// pass lets some time pass, so that no two steps are at the same time and nothing ends
// at the very time of a step.
func (q *queues) pass(t *rapid.T) {
	d := pick(t, "time", time.Millisecond, 10*time.Millisecond, 300*time.Millisecond, time.Second, 3*time.Second, 12*time.Second)
	q.clock.Step(d + time.Duration(997*time.Nanosecond))
}

func (q *queues) drawPod(t *rapid.T, name string) *corev1.Pod {
	priority := int32(below(t, 3, "priority"))
	q.uids++
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID(fmt.Sprint("uid", q.uids)),
			Labels: map[string]string{wants: pick(t, "wants", "x", "y"), own: pick(t, "own", "1", "2")},
		},
		Spec: corev1.PodSpec{SchedulerName: outrank.DefaultScheduler, Priority: &priority},
	}
	// Without early pop the library lets nothing go to backoff that has them (rule 5.2.9).
	if q.early && one(t, 6, "gated") {
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "gate"}}
	}
	return pod
}

// known draws one of the pods that are there, nil without any.
func (q *queues) known(t *rapid.T) *waiting {
	if len(q.pods) == 0 {
		return nil
	}
	return q.pods[pick(t, "pod", slices.Sorted(maps.Keys(q.pods))...)]
}

func (q *queues) add(t *rapid.T) {
	name := pick(t, "name", "a", "b", "c", "d", "e", "f")
	if q.pods[name] != nil {
		return
	}
	w := &waiting{pod: q.drawPod(t, name), since: q.clock.Now()}
	w.ours, w.gated = toPod(t, w.pod), len(w.pod.Spec.SchedulingGates) > 0
	q.pods[name] = w
	q.theirs.Add(quiet, w.pod)
	require.NoError(t, q.ours.Add(w.ours, q.clock.Now()))
}

func (q *queues) update(t *rapid.T) {
	w := q.known(t)
	if w == nil {
		return
	}
	changed := w.pod.DeepCopy()
	switch below(t, 5, "change") {
	case 0:
		changed.Labels[own] = pick(t, "own", "1", "2")
	case 1:
		changed.Labels[wants] = pick(t, "wants", "x", "y")
	case 2:
		// For the library, pods with scheduling gates do not time out (rule 5.2.7).
		if !q.held[changed.Name] {
			changed.Spec.SchedulingGates = nil
		}
	case 3:
		priority := int32(below(t, 3, "priority"))
		changed.Spec.Priority = &priority
	}
	q.theirs.Update(quiet, w.pod, changed)
	w.pod, w.ours = changed, toPod(t, changed)
	require.NoError(t, q.ours.Update(w.ours, q.clock.Now()))
}

func (q *queues) delete(t *rapid.T) {
	w := q.known(t)
	if w == nil {
		return
	}
	q.remove(t, w)
}

// remove has a pod deleted.
func (q *queues) remove(t *rapid.T, w *waiting) {
	q.theirs.Delete(silent, w.pod)
	require.True(t, q.ours.Remove(w.ours))
	delete(q.pods, w.pod.Name)
	for _, a := range q.attempts {
		a.gone = a.gone || a.ours.Pod.UID == w.ours.UID
	}
}

// pop takes the first of each queue without regard to time.
func (q *queues) pop(t *rapid.T) {
	if !queuepair.Poppable(q.theirs, q.early) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	e, err := q.ours.Pop(ctx)
	require.NoError(t, err, "nothing to pop here")
	q.popped(t, e)
}

// tryPop does so after both have looked at the clock.
func (q *queues) tryPop(t *rapid.T) {
	if !q.flush() {
		return
	}
	e, ok := q.ours.TryPop(q.clock.Now())
	require.Equal(t, queuepair.Poppable(q.theirs, q.early), ok, "%v", e)
	if ok {
		q.popped(t, e)
	}
}

func (q *queues) popped(t *rapid.T, e ourqueue.Entry) {
	theirs, err := q.theirs.Pop(silent)
	require.NoError(t, err)
	require.Equal(t, theirs.GetName(), e.Pod.Name, "popped")
	require.Equal(t, string(theirs.(*framework.QueuedPodInfo).Pod.UID), e.Pod.UID)
	q.attempts = append(q.attempts, &attempt{theirs: theirs, ours: e})
	q.did["popped"]++
}

// flush has both look at the clock, and reports whether it did.
func (q *queues) flush() bool {
	// For the library, pods with scheduling gates do not time out (rule 5.5.6).
	for _, w := range q.pods {
		if w.gated && len(q.attempts) > 0 && q.clock.Since(w.since) > unschedulableTimeout {
			return false
		}
	}
	queuepair.FlushBackoff(q.theirs, silent)
	queuepair.FlushUnschedulable(q.theirs, silent)
	q.ours.Flush(q.clock.Now())
	return true
}

// end takes one of the attempts that are under way, nil without any.
func (q *queues) end(t *rapid.T) *attempt {
	if len(q.attempts) == 0 {
		return nil
	}
	i := below(t, len(q.attempts), "attempt")
	a := q.attempts[i]
	q.attempts = slices.Delete(q.attempts, i, i+1)
	return a
}

// fail puts a pod back, as the scheduler does after an attempt: the latest version, or
// not at all where the pod is gone.
func (q *queues) fail(t *rapid.T) {
	a := q.end(t)
	if a == nil {
		return
	}
	theirs := a.theirs.(*framework.QueuedPodInfo).DeepCopy()
	if a.gone {
		q.theirs.Done(theirs.Pod.UID)
		require.ErrorIs(t, q.ours.AddUnschedulableIfNotPresent(a.ours, q.clock.Now()), ourqueue.ErrNotInFlight)
		return
	}
	theirs.ClearRejectorPlugins()
	theirs.UnschedulablePlugins, theirs.PendingPlugins = sets.New[string](), sets.New[string]()
	for _, filter := range []string{alpha, beta, gamma} {
		if !one(t, 2, filter) {
			continue
		}
		a.ours.FailedFilters = append(a.ours.FailedFilters, filter)
		if one(t, 4, "pending") {
			a.ours.PendingFilters = append(a.ours.PendingFilters, filter)
			theirs.PendingPlugins.Insert(filter)
		} else {
			theirs.UnschedulablePlugins.Insert(filter)
		}
	}
	w := q.pods[theirs.Pod.Name]
	theirs.PodInfo, _ = framework.NewPodInfo(w.pod)
	a.ours.Pod = w.ours
	require.NoError(t, q.theirs.AddUnschedulablePodIfNotPresent(silent, theirs, q.theirs.SchedulingCycle()))
	require.NoError(t, q.ours.AddUnschedulableIfNotPresent(a.ours, q.clock.Now()))
}

// place has a pod bound.
func (q *queues) place(t *rapid.T) {
	a := q.end(t)
	if a == nil {
		return
	}
	require.Equal(t, !a.gone, q.ours.Done(a.ours))
	q.theirs.Done(a.theirs.(*framework.QueuedPodInfo).Pod.UID)
	if !a.gone {
		delete(q.pods, a.ours.Pod.Name)
	}
}

func (q *queues) happen(t *rapid.T) {
	h := pick(t, "event", happenings...)
	labels := map[string]string{wants: pick(t, "of", "x", "y")}
	event := ourqueue.ClusterEvent{Kind: queuepair.KindOf(h)}
	var before, object any
	switch h {
	case nodeAdded, nodeUpdated:
		object, event.Node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: labels}}, &outrank.Node{Name: "n", Labels: labels}
	case podDeleted:
		before, event.Pod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: labels}}, &outrank.Pod{Name: "n", NodeName: "n", Labels: labels}
	}
	q.theirs.MoveAllToActiveOrBackoffQueue(silent, h, before, object, nil)
	q.ours.MoveAll(event, q.clock.Now())
}

func (q *queues) activate(t *rapid.T) {
	w := q.known(t)
	if w == nil {
		return
	}
	q.theirs.Activate(silent, map[string]*corev1.Pod{w.pod.Name: w.pod})
	q.ours.Activate(w.ours)
}

func (q *queues) setHold(t *rapid.T) {
	name := pick(t, "name", "a", "b", "c", "d", "e", "f")
	q.held[name] = !q.held[name]
}

func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Sub(began).String()
}

func (q *queues) theirState() map[string]queuepair.State {
	states := queuepair.Theirs(q.theirs, began, schedulinggates.Name, hold)
	for _, a := range q.attempts {
		if a.gone && states[a.ours.Pod.UID].Part == "in flight" {
			delete(states, a.ours.Pod.UID)
		}
	}
	return q.named(states)
}

func (q *queues) ourState() map[string]queuepair.State { return q.named(queuepair.Ours(q.ours, began)) }

// named leaves out what holds a pod that had scheduling gates: where something else does as
// well, the reference names the one that it asks first, in the order of a map.
func (q *queues) named(states map[string]queuepair.State) map[string]queuepair.State {
	for _, w := range q.pods {
		if s, ok := states[w.ours.UID]; ok && w.gated {
			s.Gate = ""
			states[w.ours.UID] = s
		}
	}
	return states
}

func (q *queues) compare(t *rapid.T) {
	theirs, ours := q.theirState(), q.ourState()
	require.Equal(t, theirs, ours)
	for _, s := range ours {
		q.did[s.Part]++
	}
}

// step takes a step, after some time.
func step(q *queues, name string, do func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		q.pass(t)
		do(t)
		q.did[name]++
	}
}

var (
	silent = logr.Discard()
	quiet  = logr.NewContext(context.Background(), silent)
)

func TestQueue(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	recorder := metrics.NewMetricsAsyncRecorder(1000, time.Second, ctx.Done())
	for _, early := range []bool{true, false} {
		t.Run(fmt.Sprint("pop from backoff ", early), func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SchedulerPopFromBackoffQ, early)
			did := map[string]int{}
			check(t, 400, func(t *rapid.T) {
				q := newQueues(t, recorder, early, outrank.V1_37, did)
				t.Repeat(map[string]func(*rapid.T){
					"":         q.compare,
					"add":      step(q, "add", q.add),
					"update":   step(q, "update", q.update),
					"delete":   step(q, "delete", q.delete),
					"pop":      step(q, "pop", q.pop),
					"tryPop":   step(q, "tryPop", q.tryPop),
					"fail":     step(q, "fail", q.fail),
					"failToo":  step(q, "fail", q.fail),
					"place":    step(q, "place", q.place),
					"happen":   step(q, "happen", q.happen),
					"activate": step(q, "activate", q.activate),
					"hold":     step(q, "hold", q.setHold),
					"flush":    step(q, "flush", func(*rapid.T) { q.flush() }),
				})
				for queuepair.Poppable(q.theirs, early) {
					q.pop(t)
				}
			})
			t.Log(did)
		})
	}
}
