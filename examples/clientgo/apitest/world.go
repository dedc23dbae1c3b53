package apitest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank/examples/clientgo/convert"
)

// World draws versions of objects. It uses so few names that objects meet: pods are on nodes that come and go,
// claims name volumes, and some versions are refused. It is also the simplest mirror: it keeps the present
// objects in the order in which they came. Only one goroutine may use it at a time.
type World struct {
	*rand.Rand
	// Objects are the objects that exist now.
	Objects []metav1.Object
	// Told has every version that was drawn so far.
	Told []metav1.Object

	version int
}

// Meta returns the metadata of a new version.
func (w *World) Meta(name, namespace string, uid types.UID) metav1.ObjectMeta {
	w.version++
	return metav1.ObjectMeta{Name: name, Namespace: namespace, UID: uid, ResourceVersion: strconv.Itoa(w.version)}
}

// Find returns the index in Objects of the object with the kind and name of like, or -1 if there is none.
func (w *World) Find(like metav1.Object) int {
	return slices.IndexFunc(w.Objects, func(o metav1.Object) bool {
		return fmt.Sprintf("%T", o) == fmt.Sprintf("%T", like) && o.GetNamespace() == like.GetNamespace() && o.GetName() == like.GetName()
	})
}

// Put adds a version, in place of the previous version of the object.
func (w *World) Put(o metav1.Object) {
	// A refused node loses its place among the others.
	i := w.Find(o)
	if i >= 0 && refusedNode(w.Objects[i]) {
		w.Objects, i = slices.Delete(w.Objects, i, i+1), -1
	}
	if i >= 0 {
		w.Objects[i] = o
	} else {
		w.Objects = append(w.Objects, o)
	}
	w.Told = append(w.Told, o)
}

func refusedNode(o metav1.Object) bool {
	n, ok := o.(*corev1.Node)
	if !ok {
		return false
	}
	_, err := convert.Node(n)
	return err != nil
}

// Delete forgets the object with the kind and name of o.
func (w *World) Delete(o metav1.Object) {
	if i := w.Find(o); i >= 0 {
		w.Objects = slices.Delete(w.Objects, i, i+1)
	}
}

// One draws one of the given texts.
func (w *World) One(of ...string) string { return of[w.IntN(len(of))] }

// All returns the present objects as lists by kind.
func (w *World) All() convert.Objects {
	var out convert.Objects
	for _, o := range w.Objects {
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

// NodeNames are the names of the nodes.
var NodeNames = []string{"n0", "n1", "n2"}

// Another draws a version of any object, known or not.
func (w *World) Another() metav1.Object {
	switch w.IntN(14) {
	case 0, 1:
		n := w.Node(w.One(NodeNames...))
		if w.IntN(6) == 0 {
			n.Status.Allocatable["cpu"] = resource.MustParse("-1") // makes the node one that convert refuses
		}
		return n

	case 2:
		b := &policyv1.PodDisruptionBudget{ObjectMeta: w.Meta(w.One("b0", "b1"), "default", "b")}
		b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": w.One("a", "b")}}
		b.Status.DisruptionsAllowed = int32(w.IntN(2))
		return b
	case 3:
		return &corev1.Namespace{ObjectMeta: w.Meta(w.One("default", "other"), "", "n")}

	case 4, 5:
		return w.Claim(w.One("c0", "c1"))
	case 6:
		return w.Volume(w.One("v0", "v1"))
	case 7:
		mode := storagev1.VolumeBindingMode(w.One("Immediate", "WaitForFirstConsumer"))
		return &storagev1.StorageClass{ObjectMeta: w.Meta(w.One("s0", "s1"), "", "s"), Provisioner: w.One("d0", "d1"), VolumeBindingMode: &mode}
	case 8:
		count := int32(w.IntN(2))
		n := &storagev1.CSINode{ObjectMeta: w.Meta(w.One(NodeNames...), "", "c")}
		n.Spec.Drivers = []storagev1.CSINodeDriver{{Name: w.One("d0", "d1"), Allocatable: &storagev1.VolumeNodeResources{Count: &count}}}
		return n
	case 9:
		required := w.IntN(2) == 0
		return &storagev1.CSIDriver{ObjectMeta: w.Meta(w.One("d0", "d1"), "", "d"), Spec: storagev1.CSIDriverSpec{PreventPodSchedulingIfMissing: &required}}

	case 10:
		return w.Group()
	}
	return w.Pod(w.One("p0", "p1", "p2", "p3", "p4", "p5"))
}

// Group draws a version of a group of pods, or of an object that groups refer to.
func (w *World) Group() metav1.Object {
	switch w.IntN(4) {
	case 0:
		g := &schedulingv1alpha3.CompositePodGroup{ObjectMeta: w.Meta("top", "default", "t")}
		g.Spec.SchedulingPolicy.Basic = &schedulingv1alpha3.CompositeBasicSchedulingPolicy{}
		return g
	case 1:
		return &schedulingv1beta1.Workload{ObjectMeta: w.Meta("w", "default", "w")}
	case 2:
		return &schedulingv1.PriorityClass{ObjectMeta: w.Meta("high", "", "h"), Value: int32(w.IntN(9))}
	}
	g := &schedulingv1beta1.PodGroup{ObjectMeta: w.Meta(w.One("g0", "g1"), "default", "g")}
	g.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: 1}
	if w.IntN(2) == 0 {
		g.Spec.DisruptionMode = &schedulingv1beta1.DisruptionMode{All: &schedulingv1beta1.AllDisruptionMode{}}
	}
	return g
}

// Node draws a version of a node.
func (w *World) Node(name string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: w.Meta(name, "", "n")}
	n.Labels = map[string]string{"zone": w.One("a", "b"), "kubernetes.io/hostname": name}
	n.Status.Allocatable = corev1.ResourceList{"cpu": *resource.NewQuantity(int64(1+w.IntN(3)), resource.DecimalSI), "pods": resource.MustParse("9")}
	n.Spec.Unschedulable = w.IntN(5) == 0
	return n
}

// Claim draws a version of a claim.
func (w *World) Claim(name string) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{ObjectMeta: w.Meta(name, "default", "c")}
	class := w.One("s0", "s1", "")
	c.Spec.StorageClassName, c.Spec.VolumeName = &class, w.One("v0", "v1", "")
	if w.IntN(2) == 0 {
		c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	}
	if w.IntN(8) == 0 {
		c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}
	}
	return c
}

// Volume draws a version of a volume.
func (w *World) Volume(name string) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{ObjectMeta: w.Meta(name, "", "v")}
	v.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: w.One("d0", "d1"), VolumeHandle: name}
	if w.IntN(3) == 0 {
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
			{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOperator(w.One("In", "In", "In", "odd")), Values: []string{"a"}}}},
		}}}
	}
	return v
}

// Pod draws a version of a pod. A new version of a known pod keeps the fields that no pod loses.
func (w *World) Pod(name string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: w.Meta(name, "default", types.UID(w.One("u0", "u1")))}

	// A pod of this name may exist already. The new one is mostly a later version of it.
	var last *corev1.Pod
	if i := w.Find(p); i >= 0 {
		last = w.Objects[i].(*corev1.Pod)
		if w.IntN(4) > 0 {
			p.UID = last.UID
		}
	}

	priority := int32(w.IntN(3))
	p.Labels = map[string]string{"app": w.One("a", "b")}
	p.Spec.Priority = &priority
	p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse(w.One("500m", "1"))}}}}
	for _, name := range []string{"c0", "c1", "c9"} {
		if w.IntN(3) == 0 {
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "v", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
		}
	}
	if w.IntN(4) == 0 {
		group := w.One("g0", "g1")
		p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
	}

	switch w.IntN(4) {
	case 0:
		p.Status.NominatedNodeName = w.One(NodeNames...)
	case 1, 2:
		p.Spec.NodeName = w.One(NodeNames...)
		at := metav1.NewTime(time.Unix(int64(1_700_000_000+w.IntN(3)), 0))
		p.Status.StartTime = &at
	}
	if w.IntN(6) == 0 { // a finalizer keeps the pod, even without a node
		p.DeletionTimestamp, p.Finalizers = &metav1.Time{Time: time.Unix(1_700_000_050, 0)}, []string{"example.com/hold"}
	}
	if w.IntN(8) == 0 {
		p.Status.Phase = corev1.PodFailed
	}
	if w.IntN(20) == 0 {
		p.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("-1") // makes the pod one that convert refuses
	}

	if last != nil && last.UID == p.UID {
		w.keep(p, last)
	}
	return p
}

// keep copies to a version of a pod the fields of the last version that no pod loses. A kubelet may withdraw
// the start time.
func (w *World) keep(p, last *corev1.Pod) {
	if last.Spec.NodeName != "" {
		p.Spec.NodeName = last.Spec.NodeName
	}
	if last.Status.StartTime != nil && w.IntN(8) > 0 {
		p.Status.StartTime = last.Status.StartTime
	}
	if last.DeletionTimestamp != nil {
		p.DeletionTimestamp = last.DeletionTimestamp
	}
}
