package outrank_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
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
		Requests: amounts("requests"), Limits: amounts("limits"), AllocatedResources: amounts("allocated"), Actual: amounts("actual"),
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
	if odd("tolerations") {
		p.Tolerations = []outrank.Toleration{{
			Key:      rapid.SampledFrom([]string{"", "a"}).Draw(t, "key"),
			Operator: rapid.SampledFrom([]outrank.TolerationOperator{"", "Equal", "Exists", "Gt", "Odd"}).Draw(t, "operator"),
			Effect:   rapid.SampledFrom([]outrank.TaintEffect{"", "NoExecute", "Odd"}).Draw(t, "effect"),
		}}
	}
	if p.Resources != nil && odd("of the whole") {
		l := resource.List{rapid.SampledFrom([]resource.Name{"hugepages-2Mi", "ephemeral-storage", "example.com/gpu"}).Draw(t, "resource"): resource.New(1)}
		if rapid.Bool().Draw(t, "limits") {
			p.Resources.Limits = l
		} else {
			p.Resources.Requests = l
		}
	}
	if odd("node affinity") {
		p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{MatchExpressions: []outrank.NodeRequirement{{Key: "k", Operator: "Odd"}}}}}
	}
	if odd("affinity") {
		p.Affinity.PodAffinity = make([]outrank.PodAffinityTerm, 1)
	}
	if odd("anti-affinity") {
		p.Affinity.PodAntiAffinity = make([]outrank.PodAffinityTerm, 1)
	}
	if odd("preferences") {
		p.Preferences = &outrank.Preferences{PodAffinity: make([]outrank.WeightedPodAffinityTerm, 1)}
	}
	if odd("spread") {
		p.TopologySpreadConstraints = make([]outrank.TopologySpreadConstraint, 1)
	}
	if odd("volumes") {
		p.Volumes = make([]outrank.Volume, 1)
	}
	return p
}

// A pod without a fault is recognized without memory, and these pods only if the validator
// finds nothing. It looks at every field of a pod that also lacks a name.
func TestFaultlessPodsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, p := range rapid.SliceOfN(rapid.Custom(someOddPod), 10, 10).Draw(t, "pods") {
			nameless := *p
			nameless.Name = ""
			var found *outrank.InputError
			if err := nameless.Validate(); !errors.As(err, &found) {
				t.Fatalf("a pod without a name: %v", err)
			}
			want := len(found.Problems) == 1 && p.Name != ""
			if got := p.Validate() == nil; got != want {
				t.Fatalf("valid is %v, the validator says %v", got, found)
			}
			if allocs := testing.AllocsPerRun(10, func() { _ = p.Validate() }); want && len(p.Volumes) == 0 && allocs > 0 {
				t.Fatalf("Validate of a pod without a fault allocates %v times", allocs)
			}
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
		{reflect.TypeFor[outrank.Pod](), []string{
			// Looked at.
			"Name", "PreemptionPolicy", "Affinity", "Preferences", "TopologySpreadConstraints", "Volumes", "Resources", "Overhead", "Containers", "InitContainers", "Tolerations",
			// Valid whatever they hold.
			"Namespace", "UID", "Labels", "Owner", "NodeName", "NominatedNodeName", "Priority", "PriorityClassName", "ResizeInfeasible", "ResizeDeferred",
			"NodeSelector", "Group", "StartTime", "DeletionTimestamp", "DisruptionReason", "Ready", "HostNetwork", "HostUsers", "SchedulerName", "SchedulingGates", "OS", "StrictGroups", "Grace", "AllocatedResources", "Actual", "Reported", "QOSClass", "ResourceClaims",
			"Static", "Mirror", "Phase", "Value",
		}},
		{reflect.TypeFor[outrank.Container](), []string{"Requests", "Limits", "AllocatedResources", "Actual", "Ports", "Name", "Sidecar", "RestartsAll", "BindMountOptions", "Reported", "Image"}},
		{reflect.TypeFor[outrank.Affinity](), []string{"NodeAffinity", "PodAffinity", "PodAntiAffinity"}},
		{reflect.TypeFor[outrank.Port](), []string{"HostPort", "HostIP", "Protocol"}},
		{reflect.TypeFor[outrank.Node](), []string{"Name", "Allocatable", "AttachLimits", "MissingDrivers", "Labels", "Taints", "Unschedulable", "DeclaredFeatures", "StrictGroups", "KubeletVersion", "DisableResizePreemption", "Images", "Value"}},
	} {
		for _, f := range reflect.VisibleFields(tt.typ) {
			if !slices.Contains(tt.fields, f.Name) {
				t.Errorf("%v has a field %s that nobody has thought about", tt.typ, f.Name)
			}
		}
	}
}
