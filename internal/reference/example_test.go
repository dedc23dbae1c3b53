package reference_test

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/reference"
	"github.com/outrank-go/outrank/resource"
)

func ExampleDecide() {
	half := []outrank.Container{{Requests: resource.MustList("cpu", "500m")}}
	d := reference.Decide(reference.Input{
		Cluster: &outrank.Cluster{
			Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "1", "pods", "10")}},
			Pods: []*outrank.Pod{
				{Name: "web", NodeName: "n1", Priority: outrank.Priority(10), Containers: half},
				{Name: "batch", NodeName: "n1", Priority: outrank.Priority(0), Containers: half},
			},
		},
		Pod: &outrank.Pod{Name: "urgent", Priority: outrank.Priority(100), Containers: half},
		Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	})
	fmt.Println(d.Filter["n1"].Code, d.Filter["n1"].Reasons)
	for _, v := range d.Candidates[0].Details {
		fmt.Println(v.Pod.Key(), "leaves", d.Best, "violates a budget:", v.Violates)
	}
	// Output:
	// Unschedulable [Insufficient cpu]
	// default/batch leaves n1 violates a budget: false
}

func ExampleCode_String() {
	fmt.Println(reference.Success, reference.Unschedulable, reference.UnschedulableAndUnresolvable)
	// Output: Success Unschedulable UnschedulableAndUnresolvable
}
