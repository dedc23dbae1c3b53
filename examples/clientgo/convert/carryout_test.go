package convert_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
)

var (
	victim = &outrank.Pod{Name: "batch-1", Namespace: "jobs", UID: "u1"}
	target = outrank.PodCondition{Type: outrank.DisruptionTarget, Status: outrank.ConditionTrue, Reason: outrank.PreemptionByScheduler, Message: "preempted"}
	now    = time.Unix(1_700_000_000, 0)
)

// A deletion is of this pod, and not of a later one of its name; the grace is rounded up.
func TestDeleteOptions(t *testing.T) {
	o := convert.DeleteOptions(victim, nil)
	require.EqualValues(t, "u1", *o.Preconditions.UID)
	require.Nil(t, o.GracePeriodSeconds)
	grace := 1500 * time.Millisecond
	o = convert.DeleteOptions(&outrank.Pod{Name: "p"}, &grace)
	require.Nil(t, o.Preconditions)
	require.EqualValues(t, 2, *o.GracePeriodSeconds)
	grace = 0
	require.Zero(t, *convert.DeleteOptions(victim, &grace).GracePeriodSeconds)
}

func TestReferences(t *testing.T) {
	require.Equal(t, types.NamespacedName{Namespace: "default", Name: "p"}, convert.PodName(&outrank.Pod{Name: "p"}))
	require.Equal(t, &corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: "jobs", Name: "batch-1", UID: "u1"}, convert.PodReference(victim))
	require.Nil(t, convert.PodReference(nil))
}

// A patch of a condition replaces the one of its type and leaves the others.
func TestConditionPatch(t *testing.T) {
	c := convert.Condition(target, 7, now)
	before, err := json.Marshal(&corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
		{Type: corev1.PodReady, Status: corev1.ConditionTrue}, {Type: corev1.DisruptionTarget, Status: corev1.ConditionFalse},
	}}})
	require.NoError(t, err)
	text, err := strategicpatch.StrategicMergePatch(before, convert.ConditionPatch(victim, c), corev1.Pod{})
	require.NoError(t, err)
	var after corev1.Pod
	require.NoError(t, json.Unmarshal(text, &after))
	require.EqualValues(t, "u1", after.UID, "the API server refuses it for another pod")
	require.Equal(t, corev1.PodRunning, after.Status.Phase)
	byType := map[corev1.PodConditionType]corev1.PodCondition{}
	for _, c := range after.Status.Conditions {
		byType[c.Type] = c
	}
	require.Len(t, byType, 2)
	require.Equal(t, corev1.ConditionTrue, byType[corev1.PodReady].Status)
	got := byType[corev1.DisruptionTarget]
	require.Equal(t, "PreemptionByScheduler", got.Reason)
	require.EqualValues(t, 7, got.ObservedGeneration)
	require.True(t, got.LastTransitionTime.Time.Equal(now))
}

func TestConditionApply(t *testing.T) {
	text, err := json.Marshal(convert.ConditionApply(victim, convert.Condition(target, 0, now)))
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"batch-1","namespace":"jobs","uid":"u1"},
		"status":{"conditions":[{"type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler","message":"preempted","lastTransitionTime":"2023-11-14T22:13:20Z"}]}}`, string(text))
	text, err = json.Marshal(convert.ConditionApply(&outrank.Pod{Name: "p"}, corev1.PodCondition{Type: "T", Status: "True"}))
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"default"},"status":{"conditions":[{"type":"T","status":"True","reason":"","message":""}]}}`, string(text))
}

func TestNominationPatch(t *testing.T) {
	require.JSONEq(t, `{"metadata":{"uid":"u1"},"status":{"nominatedNodeName":"n1"}}`, string(convert.NominationPatch(victim, "n1")))
	require.JSONEq(t, `{"status":{"nominatedNodeName":null}}`, string(convert.NominationPatch(&outrank.Pod{Name: "p"}, "")))
}

func TestEvent(t *testing.T) {
	e := convert.Event(outrank.Event{Type: outrank.EventNormal, Reason: "Preempted", Action: "Preempting", Pod: victim, Message: "Preempted by a pod"}, "outrank", "outrank-1", now)
	require.Equal(t, "jobs", e.Namespace)
	require.Equal(t, "batch-1.", e.GenerateName)
	require.Equal(t, "batch-1", e.Regarding.Name)
	require.Nil(t, e.Related)
	require.Equal(t, []string{"Normal", "Preempted", "Preempting", "Preempted by a pod", "outrank", "outrank-1"},
		[]string{e.Type, e.Reason, e.Action, e.Note, e.ReportingController, e.ReportingInstance})
	require.True(t, e.EventTime.Time.Equal(now))
}

// Times keep their fractions, and amounts that JSON has no short way for come out right.
func TestPodBeyondJSON(t *testing.T) {
	at := metav1.NewTime(time.Unix(1_700_000_000, 5))
	p, err := convert.Pod(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Status: corev1.PodStatus{StartTime: &at}})
	require.NoError(t, err)
	require.Equal(t, 5, p.StartTime.Nanosecond())
	require.Equal(t, time.UTC, p.StartTime.Location())
}

// Nil is refused, for every kind.
func TestNilIsRefused(t *testing.T) {
	for name, err := range map[string]error{
		"pod": second(convert.Pod(nil)), "node": second(convert.Node(nil)), "poddisruptionbudget": second(convert.Budget(nil)),
		"priorityclass": second(convert.PriorityClass(nil)), "namespace": second(convert.Namespace(nil)),
		"persistentvolumeclaim": second(convert.Claim(nil)), "persistentvolume": second(convert.Volume(nil)),
		"storageclass": second(convert.StorageClass(nil)), "csinode": second(convert.CSINode(nil)), "csidriver": second(convert.CSIDriver(nil)),
		"podgroup": second(convert.PodGroup(nil)), "compositepodgroup": second(convert.CompositePodGroup(nil)), "workload": second(convert.Workload(nil)),
	} {
		require.ErrorIs(t, err, outrank.ErrInvalid)
		require.Equal(t, name+": there is none: the pointer is nil", err.Error())
	}
	require.Error(t, second(convert.PodGroupAlpha(nil)))
	require.Error(t, second(convert.WorkloadAlpha(nil)))
}

func second[T any](_ T, err error) error { return err }
