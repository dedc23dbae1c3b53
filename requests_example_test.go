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
