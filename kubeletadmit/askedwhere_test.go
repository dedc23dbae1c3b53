package kubeletadmit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// A resource counts wherever the pod requests it, also if nothing else names
// it.
func TestWhereAPodAsks(t *testing.T) {
	for _, name := range []resource.Name{"example.com/gpu", "hugepages-2Mi", resource.CPU, resource.EphemeralStorage} {
		one := resource.List{name: resource.New(1)}
		for place, pod := range map[string]*outrank.Pod{
			"a container":             {Containers: []outrank.Container{{Requests: one}}},
			"the second container":    {Containers: []outrank.Container{{}, {Requests: one}}},
			"an init container":       {InitContainers: []outrank.Container{{Requests: one}}},
			"a sidecar":               {InitContainers: []outrank.Container{{Sidecar: true, Requests: one}}},
			"the overhead":            {Overhead: one},
			"containers and overhead": {Containers: []outrank.Container{{Requests: resource.MustList("memory", "1")}}, Overhead: one},
		} {
			pod.Name = "p"
			node := &outrank.Node{Name: "n", Allocatable: resource.MustList("pods", "10", "memory", "1Gi")}
			node.Allocatable[name] = resource.Quantity{}
			failures, err := kubeletadmit.Check(node, nil, pod, kubeletadmit.Config{})
			require.NoError(t, err)
			want := []kubeletadmit.CheckFailure{{Resource: name, Requested: resource.Amount(name, resource.New(1))}}
			assert.Equal(t, want, failures, "%s asked for by %s", name, place)
			node.Allocatable[name] = resource.New(1)
			failures, err = kubeletadmit.Check(node, nil, pod, kubeletadmit.Config{})
			require.NoError(t, err)
			assert.Empty(t, failures, "%s asked for by %s", name, place)
		}
	}
}

// Of what a pod asks for as a whole, cpu, memory and huge pages count.
func TestWhatAPodAsksAsAWhole(t *testing.T) {
	for _, name := range []resource.Name{resource.CPU, resource.Memory, "hugepages-2Mi"} {
		pod := &outrank.Pod{Name: "p", Resources: &resource.Requirements{Requests: resource.List{name: resource.New(1)}}}
		node := &outrank.Node{Name: "n", Allocatable: resource.MustList("pods", "10")}
		failures, err := kubeletadmit.Check(node, nil, pod, kubeletadmit.Config{})
		require.NoError(t, err)
		want := []kubeletadmit.CheckFailure{{Resource: name, Requested: resource.Amount(name, resource.New(1))}}
		assert.Equal(t, want, failures, name)
	}
}
