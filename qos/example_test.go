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
		fmt.Println(qos.Compute(pod))
	}
	// Output:
	// BestEffort
	// Burstable
	// Guaranteed
}

func ExampleOf() {
	pod := &outrank.Pod{Name: "web-1", QOSClass: outrank.Burstable}
	fmt.Println("of the spec:", qos.Compute(pod))
	fmt.Println("to the kubelet:", qos.Of(pod))
	// Output:
	// of the spec: BestEffort
	// to the kubelet: Burstable
}
