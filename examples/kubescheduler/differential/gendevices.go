package differential

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// DeviceKinds are the kinds of cases about claims for devices. [Kinds] does not have them.
var DeviceKinds = []string{"devices", "claims", "crowded"}

const (
	gpuDriver = "gpu.example.com"
	netDriver = "net.example.com"
)

// ptr returns a pointer to a copy of v.
func ptr[T any](v T) *T { return &v }

// claims draws classes, slices and the claims of all pods. The case must have its nodes and pods.
func (g *generator) claims() {
	g.deviceClasses()
	for _, n := range g.c.Nodes {
		g.gpus(n)
	}
	g.fabric()
	if g.oneIn(4) {
		g.taintRule()
	}
	for _, p := range g.c.Pods {
		if p.Spec.NodeName != "" && !g.oneIn(3) {
			g.runningClaims(p)
		}
	}
	g.preemptorClaims()
}

func (g *generator) deviceClasses() {
	add := func(name string, expressions ...string) *resourcev1.DeviceClass {
		c := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid("class-" + name)}}
		for _, e := range expressions {
			c.Spec.Selectors = append(c.Spec.Selectors, resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: e}})
		}
		g.c.Devices.Classes = append(g.c.Devices.Classes, c)
		return c
	}
	gpu := add("gpu", `device.driver == "`+gpuDriver+`"`)
	if g.oneIn(3) {
		gpu.Spec.ExtendedResourceName = ptr("example.com/gpu")
	}
	add("any")
	add("big", `device.driver == "`+gpuDriver+`"`, `device.capacity["`+gpuDriver+`"].memory.compareTo(quantity("80Gi")) >= 0`)
	add("net", `device.driver == "`+netDriver+`"`)
	if g.oneIn(2) {
		add("broken", `device.driver ==`)
		add("odd", `device.attributes["`+gpuDriver+`"].missing == 1`)
	}
}

// gpus draws the slices of a node: its devices and, if these are parts of one card, the card. Few nodes have
// none.
func (g *generator) gpus(n *corev1.Node) {
	if g.oneIn(8) {
		return
	}

	s := g.slice(n.Name+"-gpus", gpuDriver, n.Name)
	s.Spec.NodeName = ptr(n.Name)
	split := g.oneIn(4)
	for i := range g.between(1, 4) {
		d := g.device(fmt.Sprintf("gpu-%d", i))
		if split {
			d.ConsumesCounters = []resourcev1.DeviceCounterConsumption{{
				CounterSet: "card", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse(pick(g, "20Gi", "40Gi"))}},
			}}
		}
		s.Spec.Devices = append(s.Spec.Devices, d)
	}
	if g.oneIn(25) {
		s.Spec.Devices = append(s.Spec.Devices, s.Spec.Devices[0]) // two devices of one name
	}

	// The devices and the card are two slices of one pool. Sometimes the second is missing: the pool is
	// incomplete.
	if split {
		s.Spec.Pool.ResourceSliceCount = 2
		if !g.oneIn(8) {
			cards := g.slice(n.Name+"-cards", gpuDriver, n.Name)
			cards.Spec.NodeName, cards.Spec.Pool = s.Spec.NodeName, s.Spec.Pool
			cards.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "card", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("80Gi")}}}}
		}
	}

	// A slice of another generation of the pool: one that is out of date, or the first of a newer generation.
	if g.oneIn(10) {
		other := s.DeepCopy()
		other.Name, other.UID = n.Name+"-old", uid(n.Name+"-old")
		other.Spec.Pool.Generation = int64(pick(g, 0, 0, 2))
		other.Spec.Pool.ResourceSliceCount = int64(pick(g, 1, 2))
		other.Spec.Devices = append(other.Spec.Devices, g.device("gpu-9"))
		g.c.Devices.Slices = append(g.c.Devices.Slices, other)
	}
}

func (g *generator) slice(name, driver, pool string) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid("slice-" + name)}}
	s.Spec.Driver = driver
	s.Spec.Pool = resourcev1.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}
	g.c.Devices.Slices = append(g.c.Devices.Slices, s)
	return s
}

func (g *generator) device(name string) resourcev1.Device {
	d := resourcev1.Device{Name: name}
	d.Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
		"model": {StringValue: ptr(pick(g, "a", "a", "b"))}, "numa": {IntValue: ptr(int64(g.IntN(2)))},
	}
	d.Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse(pick(g, "40Gi", "80Gi"))}}
	if g.oneIn(4) {
		d.AllowMultipleAllocations = ptr(true)
		if g.oneIn(2) {
			d.Capacity["memory"] = resourcev1.DeviceCapacity{Value: resource.MustParse("80Gi"), RequestPolicy: &resourcev1.CapacityRequestPolicy{
				Default: ptr(resource.MustParse("20Gi")), ValidValues: []resource.Quantity{resource.MustParse("20Gi"), resource.MustParse("40Gi")},
			}}
		}
	}
	if g.oneIn(7) {
		d.Taints = []resourcev1.DeviceTaint{{
			Key: "example.com/sick", Value: pick(g, "", "x"), Effect: pick(g, resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNoExecute, resourcev1.DeviceTaintEffectNone),
		}}
	}
	if g.oneIn(10) {
		d.BindsToNode = ptr(true)
		d.BindingConditions, d.BindingFailureConditions = []string{"example.com/attached"}, []string{"example.com/failed"}
	}
	return d
}

// fabric draws devices that do not belong to one node: they are for all nodes, for those that a selector matches,
// or each device says for which. The case may have none.
func (g *generator) fabric() {
	if g.oneIn(3) {
		return
	}

	s := g.slice("fabric", netDriver, "fabric")
	zone := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
		Key: "topology.kubernetes.io/zone", Operator: pick(g, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn), Values: []string{pick(g, "z0", "z1")},
	}}}}}
	if g.oneIn(30) {
		zone.NodeSelectorTerms[0].MatchExpressions[0].Operator = "Near" // there is no such operator
	}

	const allNodes, selected, perDevice = 0, 1, 2
	way := g.IntN(3)
	switch way {
	case allNodes:
		s.Spec.AllNodes = ptr(true)
	case selected:
		s.Spec.NodeSelector = zone
	case perDevice:
		s.Spec.PerDeviceNodeSelection = ptr(true)
	}

	for i := range g.between(1, 3) {
		d := g.device(fmt.Sprintf("net-%d", i))
		if way == perDevice {
			switch g.IntN(3) {
			case 0:
				d.NodeName = ptr(g.c.Nodes[0].Name)
			case 1:
				d.AllNodes = ptr(true)
			case 2:
				d.NodeSelector = zone
			}
		}
		s.Spec.Devices = append(s.Spec.Devices, d)
	}
}

// taintRule draws a rule that puts a taint on devices, if the release has such rules.
func (g *generator) taintRule() {
	rule, err := newOf(resourcev1.SchemeGroupVersion.WithKind("DeviceTaintRule"))
	if err != nil {
		return
	}

	selector := map[string]any{}
	if g.oneIn(2) {
		selector["driver"] = gpuDriver
	}
	if g.oneIn(2) {
		selector["pool"] = g.c.Nodes[0].Name
	}
	if g.oneIn(2) {
		selector["device"] = "gpu-0"
	}
	spec := map[string]any{"deviceSelector": selector, "taint": map[string]any{"key": "example.com/ruled", "effect": pick(g, "NoSchedule", "NoExecute")}}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"spec": spec}, rule); err != nil {
		panic(err)
	}
	rule.SetName("rule")
	rule.SetUID("rule")
	g.c.Devices.TaintRules = append(g.c.Devices.TaintRules, rule)
}
