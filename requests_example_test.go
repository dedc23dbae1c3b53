package outrank_test

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// While a running pod is resized, the scheduler counts it with the largest of
// what it asks for, what is set aside and what is in force.
func ExamplePod_RunningRequestOf() {
	p := &outrank.Pod{Name: "web", Containers: []outrank.Container{{
		Requests: resource.MustList("cpu", "1"), Actual: resource.MustList("cpu", "2"), Allocated: resource.MustList("cpu", "1500m"),
	}}}
	fmt.Println(p.RequestOf("cpu"), p.RunningRequestOf("cpu"), p.KubeletRequestOf("cpu"))
	// Output:
	// 1 2 1
}

// Two containers are resized in opposite directions. v1.36 counts each with its
// largest, v1.37 the larger of the two sums.
func ExamplePod_RunningRequestsIn() {
	p := &outrank.Pod{Name: "web", Containers: []outrank.Container{
		{Requests: resource.MustList("cpu", "500m"), Actual: resource.MustList("cpu", "100m")},
		{Requests: resource.MustList("cpu", "100m"), Actual: resource.MustList("cpu", "500m")},
	}}
	for _, r := range outrank.Releases() {
		fmt.Println(r, p.RunningRequestsIn(r), p.RunningRequestOfIn(r, "cpu"))
	}
	// Output:
	// v1.36 cpu: 1 1
	// v1.37 cpu: 600m 600m
}

func ExamplePod_Tolerates() {
	gpu := outrank.Taint{Key: "gpu", Value: "a", Effect: outrank.NoSchedule}
	equal := outrank.Toleration{Key: "gpu", Value: "b"}
	exists := outrank.Toleration{Key: "gpu", Operator: outrank.TolerationExists}
	fmt.Println(equal.Tolerates(gpu), exists.Tolerates(gpu))
	p := &outrank.Pod{Name: "job", Tolerations: []outrank.Toleration{equal, exists}}
	fmt.Println(p.Tolerates(gpu))
	// Output:
	// false true
	// true
}
