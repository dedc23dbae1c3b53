package mirror_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// said is an object in a word: its kind, name and what the tests change of it.
func said(object any) string {
	switch o := object.(type) {
	case *outrank.Pod:
		return fmt.Sprintf("%s on %q", o.Name, o.NodeName)
	case *outrank.Node:
		return fmt.Sprintf("%s with %d limits", o.Name, len(o.AttachLimits))
	case *outrank.PodGroup:
		return "group " + o.Name
	}
	return fmt.Sprint(object)
}

// What is told is what the snapshot had and has, once for each change of it.
func TestTell(t *testing.T) {
	m := newMirror(t)
	var news []string
	m.Tell(func(old, new any) { news = append(news, said(old)+" -> "+said(new)) })
	version := func(n, on string) *corev1.Pod {
		p := pod("p1", on)
		p.UID, p.ResourceVersion = "u", n
		return p
	}
	bad := pod("p2", "n1")
	never := corev1.PreemptionPolicy("Perhaps")
	bad.Spec.PreemptionPolicy = &never
	most := int32(3)
	csi := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "n1"}, Spec: storagev1.CSINodeSpec{
		Drivers: []storagev1.CSINodeDriver{{Name: "d", Allocatable: &storagev1.VolumeNodeResources{Count: &most}}}}}
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Name: "g", Namespace: "default"}}
	group.Spec.SchedulingPolicy.Basic = &schedulingv1beta1.BasicSchedulingPolicy{}
	for _, step := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"a node comes", func() error { return m.Put(node("n1")) }, []string{"<nil> -> n1 with 0 limits"}},
		{"its CSINode comes", func() error { return m.Put(csi) }, []string{"n1 with 0 limits -> n1 with 1 limits"}},
		{"a pod comes", func() error { return m.Put(version("5", "")) }, []string{`<nil> -> p1 on ""`}},
		{"and is bound", func() error { return m.Put(version("6", "n1")) }, []string{`p1 on "" -> p1 on "n1"`}},
		{"an older version", func() error { return m.Put(version("5", "")) }, nil},
		{"another pod takes its name", func() error { p := version("4", ""); p.UID = "w"; return m.Put(p) }, []string{`p1 on "n1" -> <nil>`, `<nil> -> p1 on ""`}},
		{"which the first one does again", func() error { return m.Put(version("6", "n1")) }, []string{`p1 on "" -> <nil>`, `<nil> -> p1 on "n1"`}},
		{"another pod of the name goes", func() error { p := version("7", ""); p.UID = "v"; return m.Delete(p) }, nil},
		{"one that is refused", func() error { require.Error(t, m.Put(bad)); return nil }, nil},
		{"a change from outside", func() error {
			return m.Update(func(s *engine.Snapshot) error {
				_, err := s.PutPod(&outrank.Pod{Name: "p3"})
				return err
			})
		}, nil},
		{"a pod that waits", func() error { return m.Put(pod("p4", "")) }, []string{`<nil> -> p4 on ""`}},
		{"its binding, from outside", func() error {
			return m.Update(func(s *engine.Snapshot) error { return s.Bind("default/p4", "n1") })
		}, nil},
		{"and it goes", func() error { return m.Delete(pod("p4", "")) }, []string{`p4 on "n1" -> <nil>`}},
		{"a namespace", func() error { return m.Put(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}) }, nil},
		{"a group comes", func() error { return m.Put(group) }, []string{"<nil> -> group g"}},
		{"and goes", func() error { return m.Delete(group) }, []string{"group g -> <nil>"}},
		{"the pod goes", func() error { return m.Delete(version("8", "n1")) }, []string{`p1 on "n1" -> <nil>`}},
		{"the node goes", func() error { return m.Delete(node("n1")) }, []string{"n1 with 1 limits -> <nil>"}},
	} {
		news = nil
		require.NoError(t, step.do(), step.name)
		require.Equal(t, step.want, news, step.name)
	}
	m.Tell(nil)
	require.NoError(t, m.Put(node("n2")))
	require.Empty(t, news[1:])
}

// A channel with room for one has news after changes, with a function that is told of them and without.
// It holds nobody up where it is full, and nothing comes where nothing changed.
func TestNotify(t *testing.T) {
	for name, told := range map[string]func(old, new any){"beside a function": func(old, new any) {}, "alone": nil} {
		t.Run(name, func(t *testing.T) {
			m, news := newMirror(t), make(chan struct{}, 1)
			m.Tell(told)
			m.Notify(news)
			require.NoError(t, m.Put(node("n1")))
			require.NoError(t, m.Put(pod("p1", "n1")))
			require.Len(t, news, 1)
			<-news
			require.NoError(t, m.Put(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}))
			require.Empty(t, news)
			require.NoError(t, m.Delete(pod("p1", "n1")))
			require.Len(t, news, 1)
			<-news
			m.Notify(nil)
			require.NoError(t, m.Delete(node("n1")))
			require.Empty(t, news)
		})
	}
}

// A pod that waits changes with the volume behind its claim.
func TestTellsOfPodsWithAClaim(t *testing.T) {
	m := newMirror(t)
	p := pod("p1", "")
	p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}}}
	require.NoError(t, m.Put(p))
	var news []*outrank.Pod
	m.Tell(func(old, new any) { news = append(news, old.(*outrank.Pod), new.(*outrank.Pod)) })
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default",
		Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}}}
	claim.Spec.VolumeName, claim.Status.Phase = "v", corev1.ClaimBound
	require.NoError(t, m.Put(claim))
	require.NotEmpty(t, news)
	require.NotEqual(t, news[0].Volumes, news[len(news)-1].Volumes)
}

// A loop on the snapshot of a mirror is told by it of what comes, and keeps a binding that the
// informer does not know yet.
func TestLoopOnTheSnapshotOfAMirror(t *testing.T) {
	m, waiting, cluster := newMirror(t), queueOf(t), &executiontest.Recorder{}
	var loop *attempt.Loop
	require.NoError(t, m.Update(func(s *engine.Snapshot) (err error) {
		loop, err = attempt.New(attempt.Config{Snapshot: s, Queue: waiting, Execution: execution.Config{Actions: cluster.Actions()}})
		return err
	}))
	now := time.Unix(1_700_000_000, 0)
	m.Tell(func(old, new any) {
		_, err := loop.Observe(old, new, now)
		require.NoError(t, err)
	})
	n := node("n1")
	n.Status.Allocatable = corev1.ResourceList{"pods": resource.MustParse("1")}
	p, late := pod("first", ""), pod("first", "")
	p.UID, late.UID, p.ResourceVersion, late.ResourceVersion = "u", "u", "1", "2"
	require.NoError(t, m.Put(n))
	require.NoError(t, m.Put(p))
	next := func() (r *attempt.Result) {
		require.NoError(t, m.Update(func(*engine.Snapshot) (err error) { r, err = loop.Next(t.Context(), now); return err }))
		return r
	}
	require.Equal(t, attempt.Bound, next().Outcome)
	late.Labels = map[string]string{"a": "b"} // written before the binding
	require.NoError(t, m.Put(late))
	require.NoError(t, m.Put(pod("second", "")))
	r := next()
	require.Equal(t, "default/second", string(r.Entry.Pod.Key()))
	require.Equal(t, attempt.Waiting, r.Outcome, "the node is full")
	other := pod("second", "")
	other.UID = "other"
	require.NoError(t, m.Put(other), "one without a UID may be any")
	other = pod("second", "")
	other.UID = "yet another"
	require.NoError(t, m.Put(other))
	require.Equal(t, queue.Parts[int]{Active: 1}, waiting.Counts(), "the new one alone, at once")
	require.NoError(t, m.Delete(late))
	now = now.Add(time.Minute)
	r = next()
	require.Equal(t, attempt.Bound, r.Outcome)
	require.Equal(t, "yet another", r.Entry.Pod.UID)
	require.Equal(t, queue.Parts[int]{}, waiting.Counts())
}

func queueOf(t *testing.T) *queue.Queue {
	q, err := queue.New(queue.Config{})
	require.NoError(t, err)
	return q
}
