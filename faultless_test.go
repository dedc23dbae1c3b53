package outrank

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/resource"
)

// someOddPod is valid or not in each of the ways that Validate knows.
func someOddPod(t *rapid.T) *Pod {
	odd := func(label string) bool { return rapid.IntRange(1, 12).Draw(t, label) == 12 }
	amounts := func(label string) resource.List {
		if odd(label) {
			return resource.MustList("cpu", "1", "memory", "-1")
		}
		return resource.MustList("cpu", "1", "memory", "0")
	}
	containers := []Container{{
		Requests: amounts("requests"), Limits: amounts("limits"), AllocatedResources: amounts("allocated"), Actual: amounts("actual"),
		Ports: []Port{{HostPort: rapid.SampledFrom([]int32{0, 80, 80, 80, 65535, 65536, -1}).Draw(t, "port")}},
	}}
	p := &Pod{
		Name:             rapid.SampledFrom([]string{"p", "p", "p", ""}).Draw(t, "name"),
		Overhead:         amounts("overhead"),
		PreemptionPolicy: rapid.SampledFrom([]PreemptionPolicy{"", "", "PreemptLowerPriority", "Never", "Odd"}).Draw(t, "policy"),
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
		p.Affinity.NodeAffinity = &NodeSelector{NodeSelectorTerms: []NodeSelectorTerm{{MatchExpressions: []NodeRequirement{{Key: "k", Operator: "Odd"}}}}}
	}
	if odd("affinity") {
		p.Affinity.PodAffinity = make([]PodAffinityTerm, 1)
	}
	if odd("anti-affinity") {
		p.Affinity.PodAntiAffinity = make([]PodAffinityTerm, 1)
	}
	if odd("spread") {
		p.TopologySpreadConstraints = make([]TopologySpreadConstraint, 1)
	}
	if odd("volumes") {
		p.Volumes = make([]Volume, 1)
	}
	return p
}

// Pods are valid if they are faultless, and of these pods only then.
func TestFaultlessPodsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := someOddPod(t)
		var v validator
		v.object("pod", namespaceOf(p), nameOf(p), -1, nil)
		v.pod(p)
		if valid := len(v.problems) == 0; p.faultless() != valid && (p.faultless() || len(p.Volumes) == 0) {
			t.Fatalf("faultless is %v, the validator says %v", p.faultless(), v.problems)
		}
	})
}

// A new field may be one that Validate looks at. Then faultless has to look at it
// as well, before it is listed here.
func TestFaultlessKnowsEveryField(t *testing.T) {
	for _, tt := range []struct {
		typ    reflect.Type
		fields []string
	}{
		{reflect.TypeFor[Pod](), []string{
			// Looked at.
			"Name", "PreemptionPolicy", "Affinity", "TopologySpreadConstraints", "Volumes", "Resources", "Overhead", "Containers", "InitContainers",
			// Valid whatever they hold.
			"Namespace", "UID", "Labels", "Owner", "NodeName", "NominatedNodeName", "Priority", "PriorityClassName", "ResizeInfeasible", "ResizeDeferred",
			"NodeSelector", "Tolerations", "Group", "StartTime", "DeletionTimestamp", "DisruptionReason", "Ready", "HostNetwork", "HostUsers", "SchedulerName", "SchedulingGates", "OS", "StrictGroups", "Grace", "AllocatedResources", "Actual", "Reported", "QOSClass",
			"Static", "Mirror", "Phase", "Value",
		}},
		{reflect.TypeFor[Container](), []string{"Requests", "Limits", "AllocatedResources", "Actual", "Ports", "Name", "Sidecar", "RestartsAll", "BindMountOptions", "Reported"}},
		{reflect.TypeFor[Affinity](), []string{"NodeAffinity", "PodAffinity", "PodAntiAffinity"}},
		{reflect.TypeFor[Port](), []string{"HostPort", "HostIP", "Protocol"}},
		{reflect.TypeFor[Node](), []string{"Name", "Allocatable", "AttachLimits", "MissingDrivers", "Labels", "Taints", "Unschedulable", "DeclaredFeatures", "StrictGroups", "KubeletVersion", "DisableResizePreemption"}},
	} {
		for _, f := range reflect.VisibleFields(tt.typ) {
			if !slices.Contains(tt.fields, f.Name) {
				t.Errorf("%v has a field %s that nobody has thought about", tt.typ, f.Name)
			}
		}
	}
}
