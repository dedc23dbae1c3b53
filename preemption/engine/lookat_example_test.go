package engine_test

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// What a node would say with some of its pods gone, and whose budget their loss violates.
func ExampleEvaluator_LookAt() {
	asks := func(cpu string) []outrank.Container {
		return []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}
	}
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "4", "pods", "10")}},
		Pods: []*outrank.Pod{
			{Name: "batch", NodeName: "n1", Priority: outrank.Priority(10), Containers: asks("3"), Labels: map[string]string{"app": "batch"}},
			{Name: "agent", NodeName: "n1", Priority: outrank.Priority(5), Containers: asks("1")},
			{Name: "next", NominatedNodeName: "n1", Priority: outrank.Priority(200), Containers: asks("1")},
		},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "batch", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "batch"}}}},
	}))
	web := &outrank.Pod{Name: "web", Priority: outrank.Priority(100), Containers: asks("3")}
	lookAt := must(must(engine.New(preemption.Config{})).LookAt(snap, preemption.Request{Pod: web}))
	view := must(lookAt("n1"))

	possible := view.Possible()
	violated := view.Violated(possible...)
	for i, p := range possible {
		fmt.Println(p.Name, "counts as", snap.CountsAs(p), "and its loss violates", len(violated[i]))
	}
	fmt.Println(view.Pod().Name, "lacks", view.Short(resource.CPU), "millicores on", view.Node().Name)
	fmt.Println("as things are:", view.Check())
	fmt.Println("without batch:", view.Check(possible[0]))
	fmt.Println("without both:", view.Check(possible...))
	// Output:
	// batch counts as 10 and its loss violates 1
	// agent counts as 5 and its loss violates 0
	// web lacks 3000 millicores on n1
	// as things are: NodeResourcesFit: Insufficient cpu
	// without batch: NodeResourcesFit: Insufficient cpu
	// without both: success
}
