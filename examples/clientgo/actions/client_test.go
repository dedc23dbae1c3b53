package actions_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	ktesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/actions"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

var pods = schema.GroupResource{Resource: "pods"}

// world is a client with an API and an informer's store that may differ from it.
type world struct {
	*actions.Client
	api    *fake.Clientset
	store  cache.Indexer
	waits  []time.Duration
	events []string
}

// newWorld has the pods in both.
func newWorld(t *testing.T, config actions.Config, known ...*v1.Pod) *world {
	w := &world{store: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})}
	var objects []apiruntime.Object
	for _, pod := range known {
		objects = append(objects, pod)
		require.NoError(t, w.store.Add(pod))
	}
	w.api = fake.NewClientset(objects...)
	config.API, config.Pods, config.Events = w.api, corelisters.NewPodLister(w.store), w
	var err error
	w.Client, err = actions.New(config)
	require.NoError(t, err)
	return w
}

// Eventf keeps an event.
func (w *world) Eventf(regarding, related apiruntime.Object, kind, reason, action, note string, args ...any) {
	o := regarding.(metav1.Object)
	w.events = append(w.events, fmt.Sprintf("%s/%s %v %s %s %s: %s", o.GetName(), o.GetUID(), related, kind, reason, action, fmt.Sprintf(note, args...)))
}

// fails makes calls fail with these errors, one after the other, and then work.
func (w *world) fails(verb string, with ...error) {
	w.api.PrependReactor(verb, "pods", func(ktesting.Action) (bool, apiruntime.Object, error) {
		if len(with) == 0 {
			return false, nil, nil
		}
		err := with[0]
		with = with[1:]
		return err != nil, nil, err
	})
}

// calls are the requests to the API.
func (w *world) calls() []string {
	var list []string
	for _, a := range w.api.Actions() {
		call := a.GetVerb()
		if a.GetSubresource() != "" {
			call += " " + a.GetSubresource()
		}
		list = append(list, call)
	}
	return list
}

// carryOut carries out a plan with one victim.
func (w *world) carryOut(t *testing.T, victim *v1.Pod) (*execution.Report, error) {
	t.Helper()
	preemptor := pod("preemptor", "uid-p", 10)
	require.NoError(t, w.store.Add(preemptor))
	e, err := execution.NewExecutor(execution.Config{
		Actions: w.Actions(), Order: execution.Asynchronous, Parallel: 1,
		Wait: func(_ context.Context, d time.Duration) error { w.waits = append(w.waits, d); return nil },
	})
	require.NoError(t, err)
	plan := &preemption.Plan{Pod: plain(t, preemptor), Outcome: preemption.Preempts, Candidate: preemption.Candidate{Node: "n1", Victims: []preemption.Victim{{Pod: plain(t, victim)}}}}
	return e.Execute(t.Context(), plan)
}

func pod(name, uid string, priority int32) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(uid), Generation: 7},
		Spec:       v1.PodSpec{Priority: &priority, SchedulerName: "mine", Containers: []v1.Container{{Name: "c"}}},
	}
}

func victim() *v1.Pod {
	p := pod("victim", "uid-v", 1)
	p.Spec.NodeName = "n1"
	return p
}

func plain(t *testing.T, p *v1.Pod) *outrank.Pod {
	t.Helper()
	o, err := convert.Pod(p)
	require.NoError(t, err)
	return o
}

// The victim gets its condition with the generation it was seen at, and is deleted by its
// UID; a note is posted about it without a related object.
func TestEvict(t *testing.T) {
	w := newWorld(t, actions.Config{}, victim())
	report, err := w.carryOut(t, victim())
	require.NoError(t, err)
	assert.Equal(t, execution.Evicted, report.Victims[0].Result)
	assert.Equal(t, []string{"patch status", "delete"}, w.calls())
	var patch struct {
		Metadata struct{ UID string }
		Status   struct{ Conditions []v1.PodCondition }
	}
	require.NoError(t, json.Unmarshal(w.api.Actions()[0].(ktesting.PatchAction).GetPatch(), &patch))
	assert.Equal(t, "uid-v", patch.Metadata.UID)
	require.Len(t, patch.Status.Conditions, 1)
	c := patch.Status.Conditions[0]
	assert.False(t, c.LastTransitionTime.IsZero())
	c.LastTransitionTime = metav1.Time{}
	assert.Equal(t, v1.PodCondition{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler, ObservedGeneration: 7,
		Message: "mine: preempting to accommodate a higher priority pod",
	}, c)
	options := w.api.Actions()[1].(ktesting.DeleteAction).GetDeleteOptions()
	assert.Equal(t, metav1.NewUIDPreconditions("uid-v"), options.Preconditions)
	assert.Nil(t, options.GracePeriodSeconds, "its own")
	assert.Equal(t, []string{"victim/uid-v <nil> Normal Preempted Preempting: Preempted by pod uid-p on node n1"}, w.events)
}

// The error of a patch decides whether it is made again, after 10, 50 and 250 ms,
// four times at most; a deletion is tried once (rules 14.1.6 and 14.1.10).
func TestRetries(t *testing.T) {
	conflict := apierrors.NewConflict(pods, "victim", errors.New("modified"))
	refused := fmt.Errorf("dial tcp 127.0.0.1:1: %w", syscall.ECONNREFUSED)
	ms := func(list ...int) (of []time.Duration) {
		for _, n := range list {
			of = append(of, time.Duration(n)*time.Millisecond)
		}
		return of
	}
	for name, c := range map[string]struct {
		patch, deletion []error
		calls           []string
		waits           []time.Duration
		result          execution.Result
	}{
		"conflict": {
			patch: []error{conflict, conflict},
			calls: []string{"patch status", "get", "patch status", "get", "patch status", "delete"}, waits: ms(10, 50), result: execution.Evicted,
		},
		"internal error, unavailable, refused": {
			patch: []error{apierrors.NewInternalError(errors.New("etcd")), apierrors.NewServiceUnavailable("later"), refused},
			calls: []string{"patch status", "patch status", "patch status", "patch status", "delete"}, waits: ms(10, 50, 250), result: execution.Evicted,
		},
		"four times": {
			patch: slices.Repeat([]error{apierrors.NewServiceUnavailable("later")}, 5),
			calls: []string{"patch status", "patch status", "patch status", "patch status"}, waits: ms(10, 50, 250), result: execution.Failed,
		},
		"forbidden": {
			patch: []error{apierrors.NewForbidden(pods, "victim", errors.New("no"))},
			calls: []string{"patch status"}, result: execution.Failed,
		},
		"gone before the patch": {
			patch: []error{apierrors.NewNotFound(pods, "victim")},
			calls: []string{"patch status"}, result: execution.Gone,
		},
		"gone before its deletion": {
			deletion: []error{apierrors.NewNotFound(pods, "victim")},
			calls:    []string{"patch status", "delete"}, result: execution.Gone,
		},
		"a deletion is tried once": {
			deletion: []error{apierrors.NewServiceUnavailable("later")},
			calls:    []string{"patch status", "delete"}, result: execution.Failed,
		},
		"another pod has the name by then": {
			deletion: []error{apierrors.NewConflict(pods, "victim", errors.New("the UID in the precondition does not match"))},
			calls:    []string{"patch status", "delete"}, result: execution.Gone,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, actions.Config{}, victim())
			w.fails("patch", c.patch...)
			w.fails("delete", c.deletion...)
			report, err := w.carryOut(t, victim())
			assert.Equal(t, c.result, report.Victims[0].Result)
			assert.Equal(t, c.result == execution.Failed, err != nil)
			assert.Equal(t, c.calls, w.calls())
			assert.Equal(t, c.waits, w.waits)
			assert.Len(t, w.events, map[bool]int{true: 1}[c.result == execution.Evicted])
		})
	}
}

// A conflict because another pod has the name by now, which the informer does not know yet,
// is not tried again.
func TestReplaced(t *testing.T) {
	w := newWorld(t, actions.Config{}, victim())
	other := victim()
	other.UID = "uid-other"
	require.NoError(t, w.api.Tracker().Update(v1.SchemeGroupVersion.WithResource("pods"), other, "default"))
	w.fails("patch", apierrors.NewConflict(pods, "victim", errors.New("UID in precondition")))
	report, err := w.carryOut(t, victim())
	require.NoError(t, err)
	assert.Equal(t, execution.Gone, report.Victims[0].Result)
	assert.Equal(t, []string{"patch status", "get"}, w.calls())

	require.NoError(t, w.store.Update(other)) // and once it knows, nothing is asked at all
	w.api.ClearActions()
	report, err = w.carryOut(t, victim())
	require.NoError(t, err)
	assert.Equal(t, execution.Gone, report.Victims[0].Result)
	assert.Empty(t, w.calls())
}

// A victim that has the condition already is only deleted; one whose condition
// differs keeps the time of the last change.
func TestConditionIsThere(t *testing.T) {
	since := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	has := victim()
	has.Status.Conditions = []v1.PodCondition{{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler, ObservedGeneration: 7,
		Message: "mine: preempting to accommodate a higher priority pod", LastTransitionTime: since,
	}}
	for _, generation := range []int64{7, 6, 0} { // the reference does not look at it, either
		has.Status.Conditions[0].ObservedGeneration = generation
		w := newWorld(t, actions.Config{}, has)
		_, err := w.carryOut(t, has)
		require.NoError(t, err)
		assert.Equal(t, []string{"delete"}, w.calls(), generation)
	}

	has = has.DeepCopy()
	has.Status.Conditions[0].Message = "other"
	w := newWorld(t, actions.Config{}, has)
	_, err := w.carryOut(t, has)
	require.NoError(t, err)
	assert.Equal(t, []string{"patch status", "delete"}, w.calls())
	assert.Contains(t, string(w.api.Actions()[0].(ktesting.PatchAction).GetPatch()), `"lastTransitionTime":"2026-01-02T03:04:05Z"`)
}

// The plan's time to end goes with the deletion, in whole seconds.
func TestGrace(t *testing.T) {
	w := newWorld(t, actions.Config{}, victim())
	grace := 1500 * time.Millisecond
	require.NoError(t, w.Evict(t.Context(), execution.Eviction{Victim: plain(t, victim()), Grace: &grace}))
	require.Equal(t, []string{"delete"}, w.calls(), "no condition is to be set")
	assert.EqualValues(t, 2, *w.api.Actions()[0].(ktesting.DeleteAction).GetDeleteOptions().GracePeriodSeconds)
}

// Nominations are written by patches of the very pod, where the configuration
// asks for that and where they change.
func TestNominations(t *testing.T) {
	p := pod("p", "uid-p", 1)
	w := newWorld(t, actions.Config{}, p)
	require.NoError(t, w.Nominate(t.Context(), plain(t, p), "n1"))
	require.NoError(t, w.ClearNomination(t.Context(), plain(t, p)))
	assert.Empty(t, w.calls(), "the scheduler nominates, and there is nothing to clear")

	w = newWorld(t, actions.Config{WriteNominations: true}, p)
	require.NoError(t, w.Nominate(t.Context(), plain(t, p), "n1"))
	after, err := w.api.CoreV1().Pods("default").Get(t.Context(), "p", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, "n1", after.Status.NominatedNodeName)
	require.NoError(t, w.store.Update(after))
	require.NoError(t, w.Nominate(t.Context(), plain(t, p), "n1"), "it is there")
	require.NoError(t, w.ClearNomination(t.Context(), plain(t, p)))
	after, err = w.api.CoreV1().Pods("default").Get(t.Context(), "p", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Empty(t, after.Status.NominatedNodeName)
	assert.Equal(t, []string{"patch status", "get", "patch status", "get"}, w.calls())
	require.ErrorIs(t, w.ClearNomination(t.Context(), plain(t, pod("gone", "uid", 1))), preemption.ErrNotFound)
}

// scheduler rejects victims or not, and may have a queue of API calls.
type scheduler struct {
	rejects, queues bool
	fails           error
	calls           []string
}

func (s *scheduler) Reject(victim types.UID) bool {
	s.calls = append(s.calls, "reject "+string(victim))
	return s.rejects
}

func (s *scheduler) Activate(pod *v1.Pod) {
	s.calls = append(s.calls, fmt.Sprintf("activate %s/%s", pod.Name, pod.UID))
}

func (s *scheduler) Nominate(pod *v1.Pod, node string) (bool, error) {
	s.calls = append(s.calls, fmt.Sprintf("nominate %s/%s %q", pod.Name, pod.UID, node))
	return s.queues, s.fails
}

// A victim that is not bound yet is rejected in memory; where that comes too late it is
// evicted. After the one the preemptor is activated: nothing will be heard of the victim's
// end (rule 14.2.8).
func TestReject(t *testing.T) {
	for name, c := range map[string]struct {
		scheduler     *scheduler
		calls, events []string
		result        execution.Result
		asked         []string
	}{
		"rejected": {
			&scheduler{rejects: true}, nil,
			[]string{"victim/uid-v <nil> Normal Preempted Preempting: Preempted by pod uid-p on node n1 (in kube-scheduler memory)."},
			execution.RejectedWhileWaiting, []string{"reject uid-v", "activate preemptor/uid-p"},
		},
		"too late": {
			&scheduler{}, []string{"patch status", "delete"},
			[]string{"victim/uid-v <nil> Normal Preempted Preempting: Preempted by pod uid-p on node n1"},
			execution.Evicted, []string{"reject uid-v"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, actions.Config{Scheduler: c.scheduler}, victim())
			report, err := w.carryOut(t, victim())
			require.NoError(t, err)
			assert.Equal(t, c.result, report.Victims[0].Result)
			assert.Equal(t, c.calls, w.calls())
			assert.Equal(t, c.events, w.events)
			assert.Equal(t, c.asked, c.scheduler.calls)
		})
	}
}

// A preemptor that is gone by now, or whose name another pod has, is not activated.
func TestActivatesTheVeryPod(t *testing.T) {
	s := &scheduler{}
	w := newWorld(t, actions.Config{Scheduler: s}, pod("p", "uid-p", 1))
	w.Activate(plain(t, pod("p", "uid-other", 1)))
	w.Activate(plain(t, pod("gone", "uid-p", 1)))
	assert.Empty(t, s.calls)
	w.Activate(plain(t, pod("p", "uid-p", 1)))
	assert.Equal(t, []string{"activate p/uid-p"}, s.calls)
}

// Where the scheduler queues its API calls, clearing goes there; else it is written.
func TestClearsThroughTheScheduler(t *testing.T) {
	full := errors.New("full")
	for name, c := range map[string]struct {
		scheduler *scheduler
		calls     []string
		err       error
	}{
		"queued":                    {&scheduler{queues: true}, nil, nil},
		"no queue":                  {&scheduler{}, []string{"patch status"}, nil},
		"fails":                     {&scheduler{queues: true, fails: full}, nil, full},
		"fails before it is queued": {&scheduler{fails: full}, nil, full},
	} {
		p := pod("p", "uid-p", 1)
		p.Status.NominatedNodeName = "n1"
		w := newWorld(t, actions.Config{Scheduler: c.scheduler}, p)
		require.ErrorIs(t, w.ClearNomination(t.Context(), plain(t, p)), c.err, name)
		assert.Equal(t, c.calls, w.calls(), name)
		assert.Equal(t, []string{`nominate p/uid-p ""`}, c.scheduler.calls, name)
	}
}

// Nothing is written about the nomination of a pod that is being deleted.
func TestClearsNothingOfADeletedPod(t *testing.T) {
	p := pod("p", "uid-p", 1)
	p.Status.NominatedNodeName, p.DeletionTimestamp = "n1", new(metav1.Now())
	queue := &scheduler{queues: true}
	for _, s := range []actions.Scheduler{nil, queue} {
		w := newWorld(t, actions.Config{Scheduler: s, WriteNominations: true}, p)
		require.NoError(t, w.ClearNomination(t.Context(), plain(t, p)))
		assert.Empty(t, w.calls())
	}
	assert.Empty(t, queue.calls)
}

// An event about a pod that is gone names it all the same.
func TestEventAboutOneThatIsGone(t *testing.T) {
	w := newWorld(t, actions.Config{})
	w.Event(outrank.Event{Type: outrank.EventNormal, Reason: "R", Action: "A", Pod: &outrank.Pod{Name: "gone", UID: "uid"}, Message: "100%"})
	assert.Equal(t, []string{"gone/uid <nil> Normal R A: 100%"}, w.events)
}

func TestNewNamesWhatIsMissing(t *testing.T) {
	_, err := actions.New(actions.Config{})
	require.EqualError(t, err, "actions: without [API Pods]")
}

func TestWait(t *testing.T) {
	require.NoError(t, actions.Wait(t.Context(), time.Millisecond))
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("over")
	cancel(why)
	require.ErrorIs(t, actions.Wait(ctx, time.Hour), why)
}
