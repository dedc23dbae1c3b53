// Package devicetrial answers whether preemption for devices works in a cluster as predicted. In each trial,
// random nodes have devices, unimportant pods claim them, and then an urgent pod comes that claims some, too.
// The package predicts which pods leave for it and which devices it gets, and compares that with what happens.
package devicetrial

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Names of the trials.
const (
	Namespace = "trial"
	Driver    = "gpu.example.com"
	class     = "gpu"
	urgentPod = "urgent"
	rivalPod  = "rival"
	high      = "high"
	never     = "never" // as important as class high, but pushes nobody out
	holderApp = "holder"
)

var priorities = map[string]int32{"batch": -10, "low": 100, "medium": 1000, high: 10000, never: 10000}

var lower = []string{"batch", "low", "medium"}

// base returns the objects to which all trials refer.
func base() []runtime.Object {
	out := []runtime.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}},
		&resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: class}, Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{
			{CEL: &resourcev1.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", Driver)}},
		}}},
		template(1), template(2),
	}
	for _, name := range append([]string{high, never}, lower...) {
		c := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: priorities[name]}
		if name != high {
			policy := corev1.PreemptNever
			c.PreemptionPolicy = &policy
		}
		out = append(out, c)
	}
	return out
}

// wants returns the spec of a claim for a number of devices.
func wants(count int64) resourcev1.ResourceClaimSpec {
	return resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
		Name: "gpus", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count},
	}}}}
}

func templateName(count int64) string { return fmt.Sprintf("gpus-%d", count) }

func template(count int64) *resourcev1.ResourceClaimTemplate {
	return &resourcev1.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: templateName(count)},
		Spec: resourcev1.ResourceClaimTemplateSpec{Spec: wants(count)}}
}

// claim returns a claim that a pod names directly.
func claim(name string, spec resourcev1.ResourceClaimSpec) *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: name}, Spec: spec}
}

// drawn has the objects of a trial.
type drawn struct {
	nodes  []*corev1.Node
	slices []*resourcev1.ResourceSlice
	// claims are the claims that pods name. A controller makes all other claims from templates.
	claims []*resourcev1.ResourceClaim
	// holders are the pods that hold devices.
	holders []*corev1.Pod
	// urgent is the preemptor.
	urgent *corev1.Pod
	// rival is a pod that is created while the urgent pod waits.
	rival *corev1.Pod
	// late says that the controllers are paused until the urgent pod was tried again several times.
	late bool
}

// draw draws a trial.
func draw(r *rand.Rand, n int) *drawn {
	d := &drawn{late: r.IntN(2) == 0}
	devices := 0
	for i := range 2 + r.IntN(3) {
		name := fmt.Sprintf("t%d-n%d", n, i)
		d.nodes = append(d.nodes, node(name))
		slice := deviceSlice(r, name)
		devices += len(slice.Spec.Devices)
		d.slices = append(d.slices, slice)
	}

	// The pods ask for about twice as many devices as exist. Pods that find none ask for one device each.
	for i, left := 0, devices; left > -devices; i++ {
		count := int64(1)
		if left > 0 {
			count += int64(r.IntN(2))
		}
		p := pod(fmt.Sprintf("%s-%d-%d", holderApp, n, i), lower[r.IntN(len(lower))])
		p.Labels = map[string]string{"app": holderApp}
		use(p, &corev1.PodResourceClaim{ResourceClaimTemplateName: new(templateName(count))})
		d.holders = append(d.holders, p)
		left -= int(count)
	}

	// Two pods may share a claim. Its device is freed only once both have left.
	if r.IntN(3) == 0 {
		shared := claim(fmt.Sprintf("shared-%d", n), wants(1))
		d.claims = append(d.claims, shared)
		for i, p := range d.holders[:min(2, len(d.holders))] {
			p.Name = fmt.Sprintf("%s-%d-shared-%d", holderApp, n, i)
			p.Spec.ResourceClaims[0] = corev1.PodResourceClaim{Name: "gpus", ResourceClaimName: &shared.Name}
		}
	}

	spec := wants(int64(1 + r.IntN(2)))
	if spec.Devices.Requests[0].Exactly.Count == 2 && r.IntN(2) == 0 {
		model := resourcev1.FullyQualifiedName(Driver + "/model")
		spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: &model}}
	}

	d.urgent, d.rival = pod(fmt.Sprintf("%s-%d", urgentPod, n), high), pod(fmt.Sprintf("%s-%d", rivalPod, n), never)
	use(d.urgent, &corev1.PodResourceClaim{ResourceClaimName: &d.urgent.Name})
	use(d.rival, &corev1.PodResourceClaim{ResourceClaimName: &d.rival.Name})
	d.claims = append(d.claims, claim(d.urgent.Name, spec), claim(d.rival.Name, wants(1)))
	return d
}

func node(name string) *corev1.Node {
	amounts := corev1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("32Gi"), "pods": resource.MustParse("30"), "ephemeral-storage": resource.MustParse("10Gi")}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status:     corev1.NodeStatus{Capacity: amounts, Allocatable: amounts.DeepCopy()},
	}
}

// deviceSlice draws the resource slice that the driver publishes for a node.
func deviceSlice(r *rand.Rand, node string) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node}, Spec: resourcev1.ResourceSliceSpec{
		Driver: Driver, NodeName: &node, Pool: resourcev1.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1},
	}}
	for i := range 1 + r.IntN(4) {
		model := []string{"a", "b"}[r.IntN(2)]
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{
			Name: fmt.Sprintf("gpu-%d", i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"model": {StringValue: &model}},
		})
	}
	return s
}

func pod(name, class string) *corev1.Pod {
	no := false
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: name}, Spec: corev1.PodSpec{
		PriorityClassName: class, AutomountServiceAccountToken: &no, TerminationGracePeriodSeconds: new(int64(30)),
		Containers: []corev1.Container{{Name: "c", Image: "none", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("100m")}}}},
	}}
}

// use makes the pod's container claim devices.
func use(p *corev1.Pod, c *corev1.PodResourceClaim) {
	c.Name = "gpus"
	p.Spec.ResourceClaims = []corev1.PodResourceClaim{*c}
	p.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: c.Name}}
}
