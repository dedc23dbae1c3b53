package qos_test

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

func ExampleCompute() {
	amounts := resource.MustList("cpu", "500m", "memory", "1Gi")
	for _, c := range []outrank.Container{
		{},
		{Requests: amounts},
		{Requests: amounts, Limits: amounts},
	} {
		pod := &outrank.Pod{Name: "web-1", Containers: []outrank.Container{c}}
		fmt.Println(qos.Compute(outrank.DefaultRelease, pod))
	}
	// Output:
	// BestEffort
	// Burstable
	// Guaranteed
}

func ExampleOf() {
	pod := &outrank.Pod{Name: "web-1", QOSClass: outrank.Burstable}
	fmt.Println("of the spec:", qos.Compute(outrank.DefaultRelease, pod))
	fmt.Println("to the kubelet:", qos.Of(outrank.DefaultRelease, pod))
	// Output:
	// of the spec: BestEffort
	// to the kubelet: Burstable
}

// Pod-level resources that name nothing that counts there: v1.36 looks at them all the
// same, v1.37 at the containers.
func ExampleCompute_podLevel() {
	p := &outrank.Pod{
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "250m")}},
		Resources:  &resource.Requirements{},
	}
	for _, r := range outrank.Releases() {
		fmt.Println(r, qos.Compute(r, p), qos.Of(r, p))
	}
	// Output:
	// v1.36 BestEffort BestEffort
	// v1.37 Burstable Burstable
}
