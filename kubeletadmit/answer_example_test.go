package kubeletadmit_test

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

func ExampleCheckFailure() {
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "1", "pods", "110")}
	active := []*outrank.Pod{{Name: "web", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "800m")}}}}
	pod := &outrank.Pod{Name: "job", NodeSelector: map[string]string{"disk": "ssd"},
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "500m")}}}
	failures, err := kubeletadmit.Check(node, active, pod, kubeletadmit.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range failures {
		fmt.Println(f.Reason(), f.Resource != "", f.Shortage())
	}
	// Output:
	// OutOfcpu true 300
	// NodeAffinity false 0
}
