package devices_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

func ExampleComplete() {
	spec := resourcev1.ResourceClaimSpec{}
	spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu"}}}
	devices.Complete(&spec)
	fmt.Println(spec.Devices.Requests[0].Exactly.AllocationMode, spec.Devices.Requests[0].Exactly.Count)
	// Output: ExactCount 1
}

func ExampleEnded() {
	fmt.Println(devices.Ended(`running "DynamicResources" filter plugin: node a: timed out trying to allocate devices`), devices.Ended("cannot allocate all claims"))
	// Output: true false
}

// A search takes as many steps as it takes, whether its answer is kept or not: what a filter was asked before
// changes no answer, nor where the steps of a decision come to an end.
func TestEndsDoNotDependOnWhatWasAsked(t *testing.T) {
	cluster, objects, pod := taken(4, 60, 16)
	for i, s := range objects.Slices {
		size := []int{9, 10, 15, 15}[i]
		for j := range s.Spec.Devices {
			sort := int64(j / size)
			s.Spec.Devices[j].Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"numa": {IntValue: &sort}}
		}
	}
	for _, c := range objects.Claims[:len(objects.Claims)-1] {
		c.Status = resourcev1.ResourceClaimStatus{}
	}
	filter, err := devices.New(objects, devices.Config{DRAPreemption: true})
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(filter.Cluster(cluster))
	require.NoError(t, err)
	ask := func(workers int) (ended []bool) {
		eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}})
		require.NoError(t, err)
		ex, err := eval.Parallel(workers).Explain(context.Background(), snap, preemption.Request{Pod: pod, Now: now})
		require.NoError(t, err)
		for i := range ex.Nodes {
			ended = append(ended, slices.ContainsFunc(ex.Nodes[i].Status.Reasons, devices.Ended))
		}
		return ended
	}
	want := []bool{false, false, true, true}
	require.Equal(t, want, ask(1))
	require.Equal(t, want, ask(1), "with answers that are kept")
	require.Equal(t, want, ask(4))
	filter.Forget()
	require.Equal(t, want, ask(1), "with none")
}
