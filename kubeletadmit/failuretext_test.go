package kubeletadmit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// A shortage is told in the form in which objects write the resource.
func TestTextOfAShortage(t *testing.T) {
	for name, want := range map[resource.Name]string{
		resource.CPU:              "Insufficient cpu: 1024m requested, 2048m of 3072m in use",
		resource.Memory:           "Insufficient memory: 1Ki requested, 2Ki of 3Ki in use",
		resource.EphemeralStorage: "Insufficient ephemeral-storage: 1Ki requested, 2Ki of 3Ki in use",
		resource.Pods:             "Insufficient pods: 1024 requested, 2048 of 3072 in use",
		"example.com/gpu":         "Insufficient example.com/gpu: 1024 requested, 2048 of 3072 in use",
	} {
		f := kubeletadmit.Failure{Resource: name, Requested: 1 << 10, Used: 2 << 10, Capacity: 3 << 10}
		assert.Equal(t, want, f.Message())
	}
}
