package lockstep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/examples/kubescheduler/internal/queuepair"
	ourqueue "github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// groupQueues are both queues with pods of which some belong to groups. Members have no
// gates (rule 5.8.4).
type groupQueues struct {
	*queues
	groups map[string]*schedulingv1beta1.PodGroup
	// trying is the attempt with a group that is under way. As in the scheduler, nothing
	// else is popped meanwhile.
	trying *attempt
}

var groupOf = map[string]string{"a": "g1", "b": "g1", "c": "g1", "d": "g2", "e": "g2", "f": ""}

func (q *groupQueues) add(t *rapid.T) {
	name := pick(t, "name", slices.Sorted(maps.Keys(groupOf))...)
	if q.pods[name] != nil || !q.flush() {
		return // a group whose backoff is over is active only after a flush (rule 5.8.13)
	}
	pod := q.drawPod(t, name)
	if group := groupOf[name]; group != "" {
		pod.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
		pod.Spec.SchedulingGates = nil
	}
	w := &waiting{pod: pod, ours: toPod(t, pod), since: q.clock.Now(), gated: len(pod.Spec.SchedulingGates) > 0}
	q.pods[name] = w
	q.theirs.Add(quiet, w.pod)
	require.NoError(t, q.ours.Add(w.ours, q.clock.Now()))
}

// relabel is an update that changes no place.
func (q *groupQueues) relabel(t *rapid.T) {
	w := q.known(t)
	if w == nil {
		return
	}
	changed := w.pod.DeepCopy()
	changed.Labels[own] = pick(t, "own", "1", "2")
	q.theirs.Update(quiet, w.pod, changed)
	w.pod, w.ours = changed, toPod(t, changed)
	require.NoError(t, q.ours.Update(w.ours, q.clock.Now()))
}

func (q *groupQueues) delete(t *rapid.T) {
	w := q.known(t)
	if w == nil || !q.flush() {
		return
	}
	q.queues.remove(t, w)
	if q.trying != nil {
		for i := range q.trying.ours.Group.Members {
			if q.trying.ours.Group.Members[i].Pod.UID == w.ours.UID {
				q.trying.lost = append(q.trying.lost, w.ours.UID)
			}
		}
	}
}

func (q *groupQueues) setGroup(t *rapid.T) {
	name := pick(t, "group", "g1", "g2")
	priority := int32(below(t, 3, "priority"))
	before := q.groups[name]
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Spec: schedulingv1beta1.PodGroupSpec{Priority: &priority}}
	if before == nil {
		q.leaveOneIncomplete(t, name)
		q.uids++
		group.UID = types.UID(fmt.Sprint("uid", q.uids))
		q.theirs.AddPodGroup(silent, group)
	} else {
		// The reference does not sort anew by another priority, which nobody may set.
		group.UID, group.Spec.Priority = before.UID, before.Spec.Priority
		q.theirs.UpdatePodGroup(silent, group)
	}
	q.groups[name] = group
	ours, err := convert.PodGroup(group)
	require.NoError(t, err)
	q.ours.PutGroup(ours)
}

// leaveOneIncomplete deletes all pods that wait for a group but one. The reference takes
// them from a map, and the time of the group is that of the first.
func (q *groupQueues) leaveOneIncomplete(t *rapid.T, group string) {
	waits := q.theirs.IncompletePodGroupPodsPods()
	slices.SortFunc(waits, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	for i, p := range slices.DeleteFunc(waits, func(p *corev1.Pod) bool { return groupOf[p.Name] != group }) {
		if i > 0 {
			q.queues.remove(t, q.pods[p.Name])
		}
	}
}

func (q *groupQueues) deleteGroup(t *rapid.T) {
	name := pick(t, "group", "g1", "g2")
	group := q.groups[name]
	if group == nil || !one(t, 2, "really") || !q.flush() {
		return
	}
	delete(q.groups, name)
	ours, err := convert.PodGroup(group)
	require.NoError(t, err)
	q.theirs.DeletePodGroup(silent, group)
	q.ours.RemoveGroup(ours)
}

func (q *groupQueues) tryPop(t *rapid.T) {
	if q.trying != nil || !q.flush() {
		return
	}
	e, ok := q.ours.TryPop(q.clock.Now())
	require.Equal(t, queuepair.Poppable(q.theirs, true), ok, "%v", e)
	if ok {
		q.popped(t, e)
	}
}

func (q *groupQueues) pop(t *rapid.T) {
	if q.trying != nil || !queuepair.Poppable(q.theirs, true) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	e, err := q.ours.Pop(ctx)
	require.NoError(t, err, "nothing to pop here")
	q.popped(t, e)
}

func (q *groupQueues) popped(t *rapid.T, e ourqueue.Entry) {
	if e.Group == nil {
		q.queues.popped(t, e)
		return
	}
	theirs, err := q.theirs.Pop(silent)
	require.NoError(t, err)
	group, ok := theirs.(*framework.QueuedPodGroupInfo)
	require.True(t, ok, "a group was popped here, and there %s", theirs.GetName())
	require.Equal(t, group.GetName(), e.Group.PodGroup.Name, "popped")
	var names, ours []string
	for _, p := range group.QueuedPodInfos[fwk.PodGroupKey("default", group.GetName())] {
		names = append(names, fmt.Sprint(p.Pod.UID, " ", p.Attempts))
	}
	for _, m := range e.Group.Members {
		ours = append(ours, fmt.Sprint(m.Pod.UID, " ", m.Attempts))
	}
	require.Equal(t, names, ours, "members in the order of their tries")
	q.trying = &attempt{theirs: group, ours: e}
	q.did["groups popped"]++
}

// failOne puts a single pod back, but not while a group is tried: the reference forgets
// the group then, takes its members for those of a new one, and fails to put it back.
func (q *groupQueues) failOne(t *rapid.T) {
	if q.trying == nil {
		q.fail(t)
	}
}

// endGroup ends the attempt with a group: some members are placed, others come back.
func (q *groupQueues) endGroup(t *rapid.T) {
	if q.trying == nil {
		return
	}
	a, group := q.trying, q.trying.theirs.(*framework.QueuedPodGroupInfo)
	q.trying = nil
	outcome := pick(t, "outcome", "placed", "refused", "failed")
	infos := slices.Clone(group.QueuedPodInfos[fwk.PodGroupKey("default", group.GetName())])
	for i, m := range a.ours.Group.Members {
		info := infos[i]
		switch {
		case slices.Contains(a.lost, m.Pod.UID):
			q.theirs.Done(info.Pod.UID)
		case outcome == "placed" && one(t, 2, "placed"):
			q.theirs.Done(info.Pod.UID)
			require.True(t, q.ours.Done(m))
			delete(q.pods, m.Pod.Name)
		default:
			back := info.DeepCopy()
			back.ClearRejectorPlugins()
			back.UnschedulablePlugins, back.PendingPlugins = sets.New[string](), sets.New[string]()
			if outcome != "failed" {
				back.UnschedulablePlugins.Insert(alpha)
				m.FailedFilters = []string{alpha}
			}
			w := q.pods[m.Pod.Name]
			back.PodInfo, _ = framework.NewPodInfo(w.pod)
			m.Pod = w.ours
			require.NoError(t, q.theirs.AddUnschedulablePodIfNotPresent(silent, back, q.theirs.SchedulingCycle()))
			require.NoError(t, q.ours.AddUnschedulableIfNotPresent(m, q.clock.Now()))
		}
	}
	status := map[string]*fwk.Status{
		"placed": nil, "refused": fwk.NewStatus(fwk.Unschedulable, "no room"), "failed": fwk.NewStatus(fwk.Error, "oops"),
	}[outcome]
	require.NoError(t, q.theirs.AddAttemptedPodGroupIfNeeded(silent, group, q.theirs.SchedulingCycle(), status))
	switch outcome {
	case "placed":
		require.NoError(t, q.ours.AddAttemptedGroup(a.ours, q.clock.Now()))
	case "refused":
		a.ours.FailedFilters = []string{alpha}
		fallthrough
	default:
		require.NoError(t, q.ours.AddUnschedulableIfNotPresent(a.ours, q.clock.Now()))
	}
	q.did[outcome]++
}

// compare: where each pod is, and what is known of each group that waits.
func (q *groupQueues) compare(t *rapid.T) {
	theirs, ours := map[string]queuepair.State{}, map[string]queuepair.State{}
	note := func(pods []*corev1.Pod, part string) {
		for _, p := range pods {
			theirs[string(p.UID)] = queuepair.State{Part: part}
		}
	}
	note(q.theirs.PodsInActiveQ(), "active")
	note(q.theirs.PodsInBackoffQ(), "backoff")
	note(q.theirs.IncompletePodGroupPodsPods(), "incomplete")
	note(q.theirs.PendingPodGroupPods(), "waiting")
	for _, p := range q.theirs.UnschedulablePods() {
		part := "unschedulable"
		if info, ok := q.theirs.GetPod(p.Name, p.Namespace, p.Spec.SchedulingGroup); ok && info.Gated() {
			part = "gated"
		}
		note([]*corev1.Pod{p}, part)
	}
	lost := map[types.UID]bool{}
	for _, a := range q.attempts {
		lost[types.UID(a.ours.Pod.UID)] = a.gone
	}
	if q.trying != nil {
		for _, uid := range q.trying.lost {
			lost[types.UID(uid)] = true
		}
	}
	for _, p := range q.theirs.InFlightPods() {
		if !lost[p.UID] {
			note([]*corev1.Pod{p}, "in flight")
		}
	}
	for name := range q.groups {
		if g, ok := q.theirs.GetPodGroup(name, "default", fwk.PodGroupKeyType); ok {
			s := queuepair.State{Attempts: g.Attempts, Refused: g.UnschedulableCount, Errors: g.ConsecutiveErrorsCount, Enqueued: stamp(g.Timestamp)}
			theirs[name] = s
		}
	}
	pending := q.ours.Pending()
	for part, entries := range map[string][]ourqueue.Entry{
		"active": pending.Active, "backoff": pending.Backoff, "unschedulable": pending.Unschedulable, "gated": pending.Gated,
		"in flight": pending.InFlight, "incomplete": pending.Incomplete, "waiting": pending.Waiting,
	} {
		for _, e := range entries {
			if e.Group == nil {
				ours[e.Pod.UID] = queuepair.State{Part: part}
				continue
			}
			ours[e.Group.PodGroup.Name] = queuepair.State{Attempts: e.Attempts, Refused: e.Refusals, Errors: e.Errors, Enqueued: stamp(e.Enqueued)}
			for _, m := range e.Group.Members {
				ours[m.Pod.UID] = queuepair.State{Part: part}
			}
		}
	}
	require.Equal(t, theirs, ours)
	for _, s := range ours {
		q.did[s.Part]++
	}
}

func TestQueueOfGroups(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	recorder := metrics.NewMetricsAsyncRecorder(1000, time.Second, ctx.Done())
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.GenericWorkload, true)
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	did := map[string]int{}
	check(t, 400, func(t *rapid.T) {
		q := &groupQueues{queues: newQueues(t, recorder, true, release, did), groups: map[string]*schedulingv1beta1.PodGroup{}}
		steps := map[string]func(*rapid.T){}
		for name, do := range map[string]func(*rapid.T){
			"add": q.add, "add another": q.add, "relabel": q.relabel, "delete": q.delete, "set group": q.setGroup, "set another": q.setGroup,
			"delete group": q.deleteGroup, "pop": q.pop, "tryPop": q.tryPop, "fail": q.failOne, "place": q.place, "end": q.endGroup, "end too": q.endGroup,
			"happen": q.happen, "activate": q.activate, "flush": func(*rapid.T) { q.flush() },
		} {
			steps[name] = step(q.queues, name, do)
		}
		steps[""] = q.compare
		t.Repeat(steps)
	})
	t.Log(did)
}
