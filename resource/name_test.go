package resource_test

import (
	"testing"

	"github.com/outrank-go/outrank/resource"
)

func TestName(t *testing.T) {
	for _, tt := range []struct {
		name              resource.Name
		counted, extended bool
		why               string
	}{
		{resource.CPU, true, false, ""},
		{resource.Memory, true, false, ""},
		{resource.EphemeralStorage, true, false, ""},
		{resource.Pods, false, false, "each pod counts 1, whatever it requests"},
		{"storage", false, false, "no domain"},
		{"foo", false, false, "no domain"},
		{"", false, false, ""},
		{"nvidia.com/gpu", true, true, ""},
		{"requests.nvidia.com/gpu", false, false, "a quota's name"},
		{"kubernetes.io/batch", true, false, "Kubernetes' own domain"},
		{"gpu.kubernetes.io/model", true, false, "and what is below it"},
		{"requests.kubernetes.io/x", true, false, "which comes before the rule for quotas"},
		{"hugepages-2Mi", true, false, ""},
		{"hugepages-", true, false, "the prefix is enough"},
		{"xhugepages-2Mi", false, false, "but it has to be one"},
		{"attachable-volumes-csi", true, false, ""},
		{"cpus", false, false, ""},
		{"CPU", false, false, "case matters"},
	} {
		if got := tt.name.Counted(); got != tt.counted {
			t.Errorf("%q.Counted() = %v, want %v (%s)", tt.name, got, tt.counted, tt.why)
		}
		if got := tt.name.IsExtended(); got != tt.extended {
			t.Errorf("%q.IsExtended() = %v, want %v (%s)", tt.name, got, tt.extended, tt.why)
		}
	}
}
