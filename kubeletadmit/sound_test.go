package kubeletadmit

import (
	"reflect"
	"slices"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
	"pgregory.net/rapid"
)

// someOddPod is valid or not in each of the ways that Validate knows.
func someOddPod(t *rapid.T) *outrank.Pod {
	odd := func(label string) bool { return rapid.IntRange(1, 12).Draw(t, label) == 12 }
	amounts := func(label string) resource.List {
		if odd(label) {
			return resource.MustList("cpu", "1", "memory", "-1")
		}
		return resource.MustList("cpu", "1", "memory", "0")
	}
	containers := []outrank.Container{{
		Requests: amounts("requests"), Limits: amounts("limits"), Allocated: amounts("allocated"), Actual: amounts("actual"),
		Ports: []outrank.Port{{HostPort: rapid.SampledFrom([]int32{0, 80, 80, 80, 65535, 65536, -1}).Draw(t, "port")}},
	}}
	p := &outrank.Pod{
		Name:             rapid.SampledFrom([]string{"p", "p", "p", ""}).Draw(t, "name"),
		Overhead:         amounts("overhead"),
		PreemptionPolicy: rapid.SampledFrom([]outrank.PreemptionPolicy{"", "", "PreemptLowerPriority", "Never", "Odd"}).Draw(t, "policy"),
	}
	switch rapid.IntRange(0, 2).Draw(t, "where") {
	case 0:
		p.Containers = containers
	case 1:
		p.InitContainers = containers
	case 2:
		p.Resources = &resource.Requirements{Requests: amounts("pod requests"), Limits: amounts("pod limits")}
	}
	if odd("node affinity") {
		p.Affinity.Node = &outrank.NodeSelector{Terms: []outrank.NodeSelectorTerm{{Labels: []outrank.NodeRequirement{{Key: "k", Operator: "Odd"}}}}}
	}
	if odd("affinity") {
		p.Affinity.Pods = make([]outrank.PodAffinityTerm, 1)
	}
	if odd("anti-affinity") {
		p.Affinity.AntiPods = make([]outrank.PodAffinityTerm, 1)
	}
	if odd("spread") {
		p.TopologySpread = make([]outrank.TopologySpreadConstraint, 1)
	}
	if odd("volumes") {
		p.Volumes = make([]outrank.Volume, 1)
	}
	return p
}

// What is called sound is valid, and of these pods so is nothing else.
func TestSoundPodsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := someOddPod(t)
		if err := p.Validate(); sound(p) != (err == nil) && (sound(p) || len(p.Volumes) == 0) {
			t.Fatalf("sound is %v, Validate says %v", sound(p), err)
		}
	})
}

// A field that is new may be one that Validate looks at: then sound has to look
// at it as well, before it is listed here.
func TestSoundKnowsEveryField(t *testing.T) {
	for _, tt := range []struct {
		typ    reflect.Type
		fields []string
	}{
		{reflect.TypeFor[outrank.Pod](), []string{
			// Looked at.
			"Name", "PreemptionPolicy", "Affinity", "TopologySpread", "Volumes", "Resources", "Overhead", "Containers", "InitContainers",
			// Valid whatever they hold.
			"Namespace", "UID", "Labels", "Owner", "NodeName", "NominatedNode", "Priority", "PriorityClass", "ResizeInfeasible",
			"NodeSelector", "Tolerations", "Group", "StartTime", "DeletionTime", "DisruptionReason", "Ready", "QOSClass",
			"Static", "Mirror", "Phase",
		}},
		{reflect.TypeFor[outrank.Container](), []string{"Requests", "Limits", "Allocated", "Actual", "Ports", "Name", "Sidecar"}},
		{reflect.TypeFor[outrank.Affinity](), []string{"Node", "Pods", "AntiPods"}},
		{reflect.TypeFor[outrank.Port](), []string{"HostPort", "HostIP", "Protocol"}},
		{reflect.TypeFor[outrank.Node](), []string{"Name", "Allocatable", "AttachLimits", "Labels", "Taints", "Unschedulable"}},
	} {
		for _, f := range reflect.VisibleFields(tt.typ) {
			if !slices.Contains(tt.fields, f.Name) {
				t.Errorf("%v has a field %s that nobody has thought about", tt.typ, f.Name)
			}
		}
	}
}
