// Engine asks the engine the question of the program first, and shows what would happen if the plan were
// carried out.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

func main() {
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "2", "pods", "110")}},
		Pods:  []*outrank.Pod{pod("batch", 10, "1500m", "n1"), pod("web", 100, "500m", "n1")},
	}))
	eval := must(engine.New(preemption.Config{}))

	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod("urgent", 1000, "1", "")}))
	fmt.Println(plan.Outcome, plan.Node, plan.Victims)

	mark := snap.Mark() // everything behind the mark can be undone
	check(snap.Apply(plan))
	fmt.Println("then", len(snap.PodsOn("n1")), "runs there, and", snap.NominatedTo("n1")[0].Name, "is on its way")
	check(snap.Undo(mark))
	fmt.Println("undone:", len(snap.PodsOn("n1")), "run there")
}

func pod(name string, priority int32, cpu, node string) *outrank.Pod {
	asks := []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}
	return &outrank.Pod{Name: name, Priority: outrank.Priority(priority), Containers: asks, NodeName: node}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
