package mirror_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/preemption/engine"
)

func newMirror(t testing.TB) *mirror.Mirror {
	m, err := mirror.New(outrank.V1_37)
	require.NoError(t, err)
	return m
}

func node(name string) *corev1.Node { return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}} }

func pod(name, on string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Spec: corev1.PodSpec{NodeName: on}}
}

// Informers of a client fill the mirror and keep it current.
func TestFollow(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := fake.NewClientset(node("n1"), pod("p1", "n1"), &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 7})
	factory := informers.NewSharedInformerFactory(client, 0)
	m := newMirror(t)
	kinds := append([]mirror.Kind{mirror.PriorityClasses, mirror.PodGroups, mirror.CompositePodGroups, mirror.Workloads}, mirror.Everything...)
	synced, err := m.Follow(factory, kinds...)
	require.NoError(t, err)
	factory.Start(ctx.Done())
	require.True(t, cache.WaitForCacheSync(ctx.Done(), synced...))
	require.NoError(t, m.Rebuild())
	c := m.Cluster()
	require.Len(t, c.Nodes, 1)
	require.Len(t, c.Pods, 1)
	require.EqualValues(t, 7, c.Classes[0].Value)
	require.Empty(t, m.Problems())

	_, err = client.CoreV1().Pods("default").Create(ctx, pod("p2", "n1"), metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, client.CoreV1().Pods("default").Delete(ctx, "p1", metav1.DeleteOptions{}))
	require.Eventually(t, func() bool {
		pods := m.Snapshot().PodsOn("n1")
		return len(pods) == 1 && pods[0].Name == "p2" && pods[0].Value.(*corev1.Pod).Name == "p2"
	}, 10*time.Second, time.Millisecond)

	_, err = m.Follow(factory, "secrets")
	require.ErrorIs(t, err, mirror.ErrKind)
}

// Pods and nodes come one way or the other.
func TestOneSource(t *testing.T) {
	m := newMirror(t)
	require.NoError(t, m.Put(node("n1")))
	require.ErrorIs(t, syncNothing(m), mirror.ErrSource)

	m = newMirror(t)
	require.NoError(t, syncNothing(m))
	require.ErrorIs(t, m.Put(pod("p1", "n1")), mirror.ErrSource)
	require.ErrorIs(t, m.Delete(node("n1")), mirror.ErrSource)
	require.NoError(t, m.Put(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}))
}

// Objects of other kinds are refused, and unknown ones can be deleted.
func TestOddObjects(t *testing.T) {
	m := newMirror(t)
	require.ErrorIs(t, m.Put(&corev1.Secret{}), mirror.ErrKind)
	require.ErrorIs(t, m.Put((*corev1.Pod)(nil)), mirror.ErrKind)
	require.ErrorIs(t, m.Put(nil), mirror.ErrKind)
	require.ErrorIs(t, m.Delete("p1"), mirror.ErrKind)
	require.NoError(t, m.Delete(pod("nobody", "")))
	m.OnDelete(cache.DeletedFinalStateUnknown{Key: "default/p1", Obj: pod("p1", "")})
	m.OnAdd(pod("p1", "n9"), true)
	require.Equal(t, "n9", m.Snapshot().NodeOf("default/p1"), "known before its node")
	m.OnDelete(cache.DeletedFinalStateUnknown{Key: "default/p1", Obj: pod("p1", "")})
	require.Empty(t, m.Cluster().Pods)
	_, err := mirror.New(outrank.Release(1 << 60))
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// An object that makes no sense removes its older version, until it is mended.
func TestProblems(t *testing.T) {
	m := newMirror(t)
	good, bad := pod("p1", "n1"), pod("p1", "n1")
	never := corev1.PreemptionPolicy("Perhaps")
	bad.Spec.PreemptionPolicy = &never
	require.NoError(t, m.Put(good))
	require.ErrorIs(t, m.Put(bad), outrank.ErrInvalid)
	require.Empty(t, m.Cluster().Pods)
	require.Len(t, m.Problems(), 1)
	require.Equal(t, `pod default/p1: pod default/p1: spec.preemptionPolicy: "Perhaps" is neither PreemptLowerPriority nor Never`, m.Problems()[0].String())
	require.NoError(t, m.Put(good))
	require.Empty(t, m.Problems())
	require.Len(t, m.Cluster().Pods, 1)
}

// Versions are compared for one object alone: another one of its name may have a lower one,
// after a cluster was restored for example.
func TestAnotherPodOfTheName(t *testing.T) {
	m := newMirror(t)
	for _, c := range []struct{ uid, version string }{{"first", "9"}, {"second", "5"}} {
		p := pod("p1", "n1")
		p.UID, p.ResourceVersion = types.UID(c.uid), c.version
		require.NoError(t, m.Put(p))
		require.Equal(t, c.uid, m.Cluster().Pods[0].UID)
	}
}

// An object of another UID is gone already, unless the known one of the name has none.
func TestDeleteByUID(t *testing.T) {
	for _, c := range []struct{ known, deleted, name string }{{"", "u", ""}, {"u", "", ""}, {"u", "u", ""}, {"u", "v", "p1"}} {
		m := newMirror(t)
		p := pod("p1", "n1")
		p.UID = types.UID(c.known)
		require.NoError(t, m.Put(p))
		p = pod("p1", "n1")
		p.UID = types.UID(c.deleted)
		require.NoError(t, m.Delete(p))
		_, there := m.Snapshot().Pod("default/p1")
		require.Equal(t, c.name != "", there, "%q deleted, %q known", c.deleted, c.known)
	}
}

// A node whose CSINode makes no sense is out of the mirror for as long as it
// does, and so is the problem with it.
func TestNodeWithLimitsThatMakeNoSense(t *testing.T) {
	limited := func(most int32) *storagev1.CSINode {
		return &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "n1"}, Spec: storagev1.CSINodeSpec{
			Drivers: []storagev1.CSINodeDriver{{Name: "d", Allocatable: &storagev1.VolumeNodeResources{Count: &most}}},
		}}
	}
	for name, mend := range map[string]func(*mirror.Mirror) error{
		"put anew": func(m *mirror.Mirror) error { return m.Put(limited(1)) },
		"deleted":  func(m *mirror.Mirror) error { return m.Delete(limited(-1)) },
	} {
		m := newMirror(t)
		require.NoError(t, m.Put(node("n1")))
		require.NoError(t, m.Put(limited(-1)))
		require.Empty(t, m.Cluster().Nodes)
		require.Len(t, m.Problems(), 1)
		require.Equal(t, "n1", m.Problems()[0].Node)
		require.NoError(t, mend(m))
		require.Len(t, m.Cluster().Nodes, 1, name)
		require.Empty(t, m.Problems(), name)
	}
}

// An object that comes again counts again: it replaces decisions made meanwhile.
func TestToldAgain(t *testing.T) {
	m := newMirror(t)
	p := pod("p1", "")
	p.UID, p.ResourceVersion, p.Status.NominatedNodeName = "u", "5", "n1"
	require.NoError(t, m.Put(node("n1")))
	require.NoError(t, m.Put(p))
	require.NoError(t, m.Update(func(s *engine.Snapshot) error { return s.RemovePod("default/p1") }))
	require.Empty(t, m.Cluster().Pods)
	require.NoError(t, m.Put(p))
	require.Equal(t, "n1", m.Snapshot().NominationOf("default/p1"))
	require.NoError(t, m.Update(func(s *engine.Snapshot) error { return s.Nominate("default/p1", "") }))
	require.NoError(t, m.Put(p))
	require.Equal(t, "n1", m.Snapshot().NominationOf("default/p1"))
}

// An unchanged claim leaves the pods that use it as they are.
func TestClaimThatSaysTheSame(t *testing.T) {
	m := newMirror(t)
	p := pod("p1", "n1")
	p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}}}
	claim := func(label string) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default", Labels: map[string]string{"is": label}}}
	}
	require.NoError(t, m.Put(claim("first")))
	require.NoError(t, m.Put(p))
	before, _ := m.Snapshot().Pod("default/p1")
	require.NoError(t, m.Put(claim("second")))
	after, _ := m.Snapshot().Pod("default/p1")
	require.Same(t, before, after)
}

// A pod that was refused for the volume of its claim has its end when that is mended.
func TestRefusedPodMayHaveFinished(t *testing.T) {
	m := newMirror(t)
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v"}}
	v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
		{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: "odd", Values: []string{"a"}}}},
	}}}
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default",
		Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}}}
	c.Spec.VolumeName = "v"
	p := pod("p1", "n1")
	p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}}}
	p.Status.Phase = corev1.PodSucceeded
	require.NoError(t, m.Put(c))
	require.NoError(t, m.Put(v.DeepCopy()))
	require.ErrorIs(t, m.Put(p), outrank.ErrInvalid)
	require.Len(t, m.Problems(), 1)

	v.Spec.NodeAffinity = nil
	require.NoError(t, m.Put(v))
	require.Empty(t, m.Problems())
	require.Empty(t, m.Cluster().Pods)
}

// A kubelet may take a pod's start back. A later version without one counts, too,
// but no older version does.
func TestAStartThatIsTakenBack(t *testing.T) {
	m, err := mirror.New(outrank.V1_37)
	require.NoError(t, err)
	version := func(n, label string, start *metav1.Time) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b", UID: "1", ResourceVersion: n, Labels: map[string]string{"is": label}},
			Spec:       corev1.PodSpec{NodeName: "n"}, Status: corev1.PodStatus{Phase: corev1.PodRunning, StartTime: start},
		}
	}
	at := metav1.NewTime(time.Unix(1_700_000_000, 0))
	require.NoError(t, m.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}))
	for _, step := range []struct {
		put   *corev1.Pod
		start time.Time
		label string
	}{
		{version("5", "new", nil), time.Time{}, "new"},
		{version("7", "started", &at), at.UTC(), "started"},
		{version("6", "old", nil), at.UTC(), "started"},
		{version("8", "back", nil), time.Time{}, "back"},
		{version("9", "later", nil), time.Time{}, "later"},
		{version("7", "started", &at), time.Time{}, "later"},
	} {
		require.NoError(t, m.Put(step.put))
		p := m.Cluster().Pods[0]
		assert.True(t, step.start.Equal(p.StartTime), "version %s: %v", step.put.ResourceVersion, p.StartTime)
		assert.Equal(t, step.label, p.Labels["is"], step.put.ResourceVersion)
	}
}

// Nodes of the same generation are not looked at again, and neither are pods that are
// the same objects.
func TestSyncLooksAtWhatChanged(t *testing.T) {
	info := newNodeInfo(node("n1"), pod("p1", "n1"))
	m := newMirror(t)
	require.NoError(t, mirror.Sync(m, []infoOfNode{info}, nil))
	before, _ := m.Snapshot().Pod("default/p1")
	info.add(pod("p2", "n1"))
	require.NoError(t, mirror.Sync(m, []infoOfNode{info}, nil))
	after, _ := m.Snapshot().Pod("default/p1")
	require.Same(t, before, after, "the pod that did not change was not converted again")
	require.Len(t, m.Snapshot().PodsOn("n1"), 2)
	require.NoError(t, syncNothing(m))
	require.Empty(t, m.Cluster().Pods)
	require.Empty(t, m.Cluster().Nodes)
}

// All calls may run at once.
func TestConcurrentCalls(t *testing.T) {
	m := newMirror(t)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 200 {
				name := fmt.Sprint("p", i%20)
				switch (i + g) % 5 {
				case 0:
					_ = m.Put(node(fmt.Sprint("n", i%3)))
				case 1:
					_ = m.Put(pod(name, fmt.Sprint("n", i%3)))
				case 2:
					_ = m.Delete(pod(name, ""))
				case 3:
					m.Snapshot().PodsOn("n1")
				default:
					_ = m.View(func(s *engine.Snapshot) error { s.PodsOn("n2"); return nil })
					_ = m.Update(func(s *engine.Snapshot) error { return s.Nominate("default/p1", "n1") })
					m.Cluster()
					m.Problems()
				}
			}
		})
	}
	wg.Wait()
}

func ExampleMirror() {
	m, err := mirror.New(outrank.V1_37)
	if err != nil {
		panic(err)
	}
	// In any order; an informer's handler would be m itself.
	for _, o := range []any{pod("web-1", "n1"), node("n1")} {
		if err := m.Put(o); err != nil {
			panic(err)
		}
	}
	_ = m.View(func(s *engine.Snapshot) error {
		for _, p := range s.PodsOn("n1") {
			fmt.Println(p.Key(), p.Value.(*corev1.Pod).Name)
		}
		n, _ := s.Node("n1")
		fmt.Println(n.Name, n.Value.(*corev1.Node).Name)
		return nil
	})
	// Output:
	// default/web-1 web-1
	// n1 n1
}

// A framework's snapshot is a list of nodes with their pods; in a plugin of kube-scheduler it is
// that of the handle, with NominatedPodsForNode.
func ExampleSync() {
	m, err := mirror.New(outrank.V1_37)
	if err != nil {
		panic(err)
	}
	snapshot := []*nodeInfo{newNodeInfo(node("n1"), pod("web-1", ""))}
	nominated := func(string) []infoOfPod { return []infoOfPod{podInfo{pod("waits", "")}} }
	fmt.Println(mirror.Sync(m, snapshot, nominated))
	snapshot[0].add(pod("web-2", "")) // which the scheduler has assumed to be there
	fmt.Println(mirror.Sync(m, snapshot, nominated))
	_ = m.View(func(s *engine.Snapshot) error {
		for _, p := range s.PodsOn("n1") {
			fmt.Println(p.Key())
		}
		fmt.Println("default/waits is nominated to", s.NominationOf("default/waits"))
		return nil
	})
	// Output:
	// <nil>
	// <nil>
	// default/web-1
	// default/web-2
	// default/waits is nominated to n1
}
