package engine_test

import (
	"fmt"
	"log"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

func ExampleEvaluator_Trials() {
	asks := func(cpu string) []outrank.Container {
		return []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}
	}
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "4", "pods", "10")}},
		Pods: []*outrank.Pod{
			{Name: "batch", Namespace: "default", NodeName: "n1", Priority: outrank.Priority(10), Containers: asks("3"), Labels: map[string]string{"app": "batch"}},
			{Name: "agent", Namespace: "default", NodeName: "n1", Priority: outrank.Priority(5), Containers: asks("1")},
			{Name: "next", NominatedNodeName: "n1", Priority: outrank.Priority(200), Containers: asks("1")},
		},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "batch", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "batch"}}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	e, err := engine.NewEvaluator(engine.Config{Workers: 2})
	if err != nil {
		log.Fatal(err)
	}
	pod := &outrank.Pod{Name: "web", Priority: outrank.Priority(100), Containers: asks("3")}
	trials, err := e.Trials(snap, preemption.Request{Pod: pod})
	if err != nil {
		log.Fatal(err)
	}
	trial, err := trials.On("n1")
	if err != nil {
		log.Fatal(err)
	}
	possible := trial.Possible()
	for i, p := range possible {
		fmt.Println(p.Key(), trials.CountsAs(p), "takes", trial.Takes(p, resource.CPU), "breaks", len(trial.Violated()[i]))
	}
	fmt.Println("room is kept for", trial.Nominated()[0].Key())
	fmt.Println("as things are:", trial.Check(nil))
	noBatch := func(p *outrank.Pod) bool { return trials.LeaveTogether(p, possible[0]) }
	cpu := trial.Room(noBatch)[1]
	fmt.Println("without batch:", trial.Check(noBatch), cpu.Free(), "free,", cpu.Short(), "short")
	fmt.Println("without both:", trial.Check(func(*outrank.Pod) bool { return true }))
	fmt.Println(e.Config().Workers, "workers")
	// Output:
	// default/batch 10 takes 3000 breaks 1
	// default/agent 5 takes 1000 breaks 0
	// room is kept for default/next
	// as things are: NodeResourcesFit: Insufficient cpu
	// without batch: NodeResourcesFit: Insufficient cpu 2000 free, 1000 short
	// without both: success
	// 2 workers
}
