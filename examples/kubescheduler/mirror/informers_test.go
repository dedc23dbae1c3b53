package mirror_test

import (
	gocmp "cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/convert"
	"github.com/outrank-go/outrank/examples/kubescheduler/mirror"
	"github.com/outrank-go/outrank/preemption"
	outrankresource "github.com/outrank-go/outrank/resource"
)

// world is the plainest mirror: the present objects, in the order in which they
// came.
type world struct {
	*rand.Rand
	objects []metav1.Object
	version int
	told    []metav1.Object // every version so far
}

// meta is that of a new version.
func (w *world) meta(name, namespace string, uid types.UID) metav1.ObjectMeta {
	w.version++
	return metav1.ObjectMeta{Name: name, Namespace: namespace, UID: uid, ResourceVersion: strconv.Itoa(w.version)}
}

func (w *world) find(like metav1.Object) int {
	return slices.IndexFunc(w.objects, func(o metav1.Object) bool {
		return fmt.Sprintf("%T", o) == fmt.Sprintf("%T", like) && o.GetNamespace() == like.GetNamespace() && o.GetName() == like.GetName()
	})
}

func (w *world) put(o metav1.Object) {
	i := w.find(o)
	if i >= 0 && refusedNode(w.objects[i]) { // it has lost its place among the others
		w.objects, i = slices.Delete(w.objects, i, i+1), -1
	}
	if i >= 0 {
		w.objects[i] = o
	} else {
		w.objects = append(w.objects, o)
	}
	w.told = append(w.told, o)
}

func refusedNode(o metav1.Object) bool {
	n, ok := o.(*corev1.Node)
	if !ok {
		return false
	}
	_, err := convert.Node(n)
	return err != nil
}

func (w *world) delete(o metav1.Object) {
	if i := w.find(o); i >= 0 {
		w.objects = slices.Delete(w.objects, i, i+1)
	}
}

func (w *world) one(of ...string) string { return of[w.IntN(len(of))] }

// all has the present objects as lists.
func (w *world) all() convert.Objects {
	var out convert.Objects
	for _, o := range w.objects {
		switch o := o.(type) {
		case *corev1.Node:
			out.Nodes = append(out.Nodes, o)
		case *corev1.Pod:
			out.Pods = append(out.Pods, o)
		case *policyv1.PodDisruptionBudget:
			out.Budgets = append(out.Budgets, o)
		case *schedulingv1.PriorityClass:
			out.PriorityClasses = append(out.PriorityClasses, o)
		case *corev1.Namespace:
			out.Namespaces = append(out.Namespaces, o)
		case *corev1.PersistentVolumeClaim:
			out.Claims = append(out.Claims, o)
		case *corev1.PersistentVolume:
			out.Volumes = append(out.Volumes, o)
		case *storagev1.StorageClass:
			out.StorageClasses = append(out.StorageClasses, o)
		case *storagev1.CSINode:
			out.CSINodes = append(out.CSINodes, o)
		case *storagev1.CSIDriver:
			out.CSIDrivers = append(out.CSIDrivers, o)
		case *schedulingv1beta1.PodGroup:
			out.PodGroups = append(out.PodGroups, o)
		case *schedulingv1alpha3.CompositePodGroup:
			out.CompositePodGroups = append(out.CompositePodGroups, o)
		case *schedulingv1beta1.Workload:
			out.Workloads = append(out.Workloads, o)
		}
	}
	return out
}

var nodeNames = []string{"n0", "n1", "n2"}

// another draws a version of an object, known or not.
func (w *world) another() metav1.Object {
	switch w.IntN(14) {
	case 0, 1:
		n := w.node(w.one(nodeNames...))
		if w.IntN(6) == 0 {
			n.Status.Allocatable["cpu"] = resource.MustParse("-1") // which is refused
		}
		return n
	case 2:
		b := &policyv1.PodDisruptionBudget{ObjectMeta: w.meta(w.one("b0", "b1"), "default", "b")}
		b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": w.one("a", "b")}}
		b.Status.DisruptionsAllowed = int32(w.IntN(2))
		return b
	case 3:
		return &corev1.Namespace{ObjectMeta: w.meta(w.one("default", "other"), "", "n")}
	case 4, 5:
		return w.claim(w.one("c0", "c1"))
	case 6:
		return w.volume(w.one("v0", "v1"))
	case 7:
		mode := storagev1.VolumeBindingMode(w.one("Immediate", "WaitForFirstConsumer"))
		return &storagev1.StorageClass{ObjectMeta: w.meta(w.one("s0", "s1"), "", "s"), Provisioner: w.one("d0", "d1"), VolumeBindingMode: &mode}
	case 8:
		count := int32(w.IntN(2))
		n := &storagev1.CSINode{ObjectMeta: w.meta(w.one(nodeNames...), "", "c")}
		n.Spec.Drivers = []storagev1.CSINodeDriver{{Name: w.one("d0", "d1"), Allocatable: &storagev1.VolumeNodeResources{Count: &count}}}
		return n
	case 9:
		required := w.IntN(2) == 0
		return &storagev1.CSIDriver{ObjectMeta: w.meta(w.one("d0", "d1"), "", "d"), Spec: storagev1.CSIDriverSpec{PreventPodSchedulingIfMissing: &required}}
	case 10:
		return w.group()
	}
	return w.pod(w.one("p0", "p1", "p2", "p3", "p4", "p5"))
}

func (w *world) group() metav1.Object {
	switch w.IntN(4) {
	case 0:
		g := &schedulingv1alpha3.CompositePodGroup{ObjectMeta: w.meta("top", "default", "t")}
		g.Spec.SchedulingPolicy.Basic = &schedulingv1alpha3.CompositeBasicSchedulingPolicy{}
		return g
	case 1:
		return &schedulingv1beta1.Workload{ObjectMeta: w.meta("w", "default", "w")}
	case 2:
		return &schedulingv1.PriorityClass{ObjectMeta: w.meta("high", "", "h"), Value: int32(w.IntN(9))}
	}
	g := &schedulingv1beta1.PodGroup{ObjectMeta: w.meta(w.one("g0", "g1"), "default", "g")}
	g.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: 1}
	if w.IntN(2) == 0 {
		g.Spec.DisruptionMode = &schedulingv1beta1.DisruptionMode{All: &schedulingv1beta1.AllDisruptionMode{}}
	}
	return g
}

func (w *world) node(name string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: w.meta(name, "", "n")}
	n.Labels = map[string]string{"zone": w.one("a", "b"), "kubernetes.io/hostname": name}
	n.Status.Allocatable = corev1.ResourceList{"cpu": *resource.NewQuantity(int64(1+w.IntN(3)), resource.DecimalSI), "pods": resource.MustParse("9")}
	n.Spec.Unschedulable = w.IntN(5) == 0
	return n
}

func (w *world) claim(name string) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{ObjectMeta: w.meta(name, "default", "c")}
	class := w.one("s0", "s1", "")
	c.Spec.StorageClassName, c.Spec.VolumeName = &class, w.one("v0", "v1", "")
	if w.IntN(2) == 0 {
		c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	}
	if w.IntN(8) == 0 {
		c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}
	}
	return c
}

func (w *world) volume(name string) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{ObjectMeta: w.meta(name, "", "v")}
	v.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: w.one("d0", "d1"), VolumeHandle: name}
	if w.IntN(3) == 0 {
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
			{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOperator(w.one("In", "In", "In", "odd")), Values: []string{"a"}}}},
		}}}
	}
	return v
}

// pod draws a version of a pod. A version of a known one keeps the fields that no pod
// loses.
func (w *world) pod(name string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: w.meta(name, "default", types.UID(w.one("u0", "u1")))}
	var last *corev1.Pod
	if i := w.find(p); i >= 0 {
		last = w.objects[i].(*corev1.Pod)
		if w.IntN(4) > 0 {
			p.UID = last.UID
		}
	}
	priority := int32(w.IntN(3))
	p.Labels = map[string]string{"app": w.one("a", "b")}
	p.Spec.Priority = &priority
	p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse(w.one("500m", "1"))}}}}
	for _, name := range []string{"c0", "c1", "c9"} {
		if w.IntN(3) == 0 {
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "v", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
		}
	}
	if w.IntN(4) == 0 {
		group := w.one("g0", "g1")
		p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
	}
	switch w.IntN(4) {
	case 0:
		p.Status.NominatedNodeName = w.one(nodeNames...)
	case 1, 2:
		p.Spec.NodeName = w.one(nodeNames...)
		at := metav1.NewTime(time.Unix(int64(1_700_000_000+w.IntN(3)), 0))
		p.Status.StartTime = &at
	}
	if w.IntN(6) == 0 { // on a node or not: a finalizer holds it
		p.DeletionTimestamp, p.Finalizers = &metav1.Time{Time: time.Unix(1_700_000_050, 0)}, []string{"example.com/hold"}
	}
	if w.IntN(8) == 0 {
		p.Status.Phase = corev1.PodFailed
	}
	if w.IntN(20) == 0 {
		p.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("-1") // which is refused
	}
	if last != nil && last.UID == p.UID {
		if last.Spec.NodeName != "" {
			p.Spec.NodeName = last.Spec.NodeName
		}
		if last.Status.StartTime != nil && w.IntN(8) > 0 { // a kubelet may take it back
			p.Status.StartTime = last.Status.StartTime
		}
		if last.DeletionTimestamp != nil {
			p.DeletionTimestamp = last.DeletionTimestamp
		}
	}
	return p
}

// step passes the mirror an object that may be new, old, or unknown.
func (w *world) step(t rapid.TB, m *mirror.Mirror) {
	const kept = 1 // the CSINode that stays: without any, a list tells nothing of drivers
	switch n := w.IntN(20); {
	case n < 13 || len(w.told) == 0:
		o := w.another()
		w.put(o)
		_ = m.Put(o)
	case n < 15: // again, or late
		o := w.told[w.IntN(len(w.told))]
		if i := w.find(o); i >= 0 && w.objects[i].GetUID() == o.GetUID() && !finished(w.objects[i]) {
			m.OnUpdate(nil, o)
		}
	case n < 17: // the end of what there may have been
		if len(w.told) == kept {
			return
		}
		o := w.told[kept+w.IntN(len(w.told)-kept)]
		if i := w.find(o); i >= 0 && w.objects[i].GetUID() == o.GetUID() {
			w.delete(o)
		}
		m.OnDelete(o)
	default:
		if len(w.objects) > kept {
			o := w.objects[kept+w.IntN(len(w.objects)-kept)]
			w.delete(o)
			require.NoError(t, m.Delete(o))
		}
	}
}

// finished reports whether an object is a pod that is not remembered.
func finished(o metav1.Object) bool {
	p, ok := o.(*corev1.Pod)
	return ok && p.Status.Phase == corev1.PodFailed
}

// ignoringValue compares objects but for the API's objects that pods lead back to.
var ignoringValue = cmp.Options{cmpopts.IgnoreFields(outrank.Pod{}, "Value"), cmpopts.EquateEmpty()}

// equal compares a snapshot with one that is built anew: its contents, and its
// decisions.
func equal(t rapid.TB, snap *preemption.Snapshot, fresh *outrank.Cluster) {
	t.Helper()
	want, err := preemption.NewSnapshot(fresh)
	require.NoError(t, err)
	if diff := cmp.Diff(want.Cluster(), snap.Cluster(), ignoringValue); diff != "" {
		t.Fatalf("(-built anew +mirror):\n%s", diff)
	}
	evaluator, err := preemption.NewEvaluator(preemption.Config{})
	require.NoError(t, err)
	for _, priority := range []int32{5, 1} { // by the second of which nominations count
		p := &outrank.Pod{Name: "preemptor", Priority: outrank.Priority(priority), Containers: []outrank.Container{
			{Name: "c", Requests: outrankresource.MustList("cpu", "1500m")}}}
		now := time.Unix(1_700_000_100, 0)
		expected, err := evaluator.Preempt(context.Background(), want, p, now)
		require.NoError(t, err)
		got, err := evaluator.Preempt(context.Background(), snap, p, now)
		require.NoError(t, err)
		if diff := cmp.Diff(expected, got, ignoringValue); diff != "" {
			t.Fatalf("plans (-built anew +mirror):\n%s", diff)
		}
	}
}

// compare compares the mirror with all present objects that make sense.
func (w *world) compare(t rapid.TB, m *mirror.Mirror) {
	t.Helper()
	o := w.all()
	refused := map[string]bool{}
	for {
		fresh, err := convert.Cluster(o)
		if err == nil {
			fresh.Release = outrank.V1_37
			require.NoError(t, m.View(func(s *preemption.Snapshot) error { equal(t, s, fresh); return nil }))
			break
		}
		var invalid *outrank.InputError
		require.ErrorAs(t, err, &invalid)
		kind, name, _ := strings.Cut(invalid.Problems[0].Object, " ")
		name = strings.TrimPrefix(name, "default/")
		if kind == "node" {
			refused["node "+name] = true
			o.Nodes = slices.DeleteFunc(o.Nodes, func(n *corev1.Node) bool { return n.Name == name })
		}
		o.Pods = slices.DeleteFunc(o.Pods, func(p *corev1.Pod) bool {
			out := kind == "pod" && p.Name == name || kind == "persistentvolumeclaim" && names(p, name)
			if out && (kind == "pod" || p.Status.Phase != corev1.PodFailed) {
				refused["pod default/"+p.Name] = true
			}
			return out
		})
		o.Claims = slices.DeleteFunc(o.Claims, func(c *corev1.PersistentVolumeClaim) bool {
			return kind == "persistentvolumeclaim" && c.Name == name
		})
	}
	for _, p := range m.Problems() {
		require.ErrorIs(t, p.Err, outrank.ErrInvalid)
		require.Equal(t, w.nodeOf(p), p.Node, "%v", p)
		delete(refused, p.Kind+" "+p.Name)
	}
	require.Empty(t, refused, "what is refused is among the problems: %v", m.Problems())
}

// nodeOf is where a refused object is or wants to be.
func (w *world) nodeOf(p mirror.Problem) string {
	for _, o := range w.objects {
		switch o := o.(type) {
		case *corev1.Node:
			if p.Kind == "node" && p.Name == o.Name {
				return o.Name
			}
		case *corev1.Pod:
			if p.Kind == "pod" && p.Name == "default/"+o.Name {
				return gocmp.Or(o.Spec.NodeName, o.Status.NominatedNodeName)
			}
		}
	}
	return ""
}

// names reports whether a pod names a claim.
func names(p *corev1.Pod, claim string) bool {
	return slices.ContainsFunc(p.Spec.Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim.ClaimName == claim })
}

// The mirror equals what would be built anew from the present objects, after any
// events of informers in any order, and decides the same.
func TestPropertyInformers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{Rand: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))}
		m, err := mirror.New(outrank.V1_37)
		require.NoError(t, err)
		csi := &storagev1.CSINode{ObjectMeta: w.meta("elsewhere", "", "c")}
		w.put(csi)
		require.NoError(t, m.Put(csi))
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			w.step(t, m)
			if w.IntN(4) == 0 {
				w.compare(t, m)
			}
		}
		w.compare(t, m)
	})
}
