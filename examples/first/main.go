// First asks who would have to leave a node for an urgent pod.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

func main() {
	cluster := &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "2", "pods", "110")}},
		Pods:  []*outrank.Pod{pod("batch", 10, "1500m", "n1"), pod("web", 100, "500m", "n1")},
	}
	snap := must(engine.NewSnapshot(cluster))
	eval := must(engine.New(preemption.Config{})) // what kube-scheduler does, every node
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod("urgent", 1000, "1", ""), Now: time.Now()}))
	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
}

func pod(name string, priority int32, cpu, node string) *outrank.Pod {
	asks := []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}
	return &outrank.Pod{Name: name, Priority: outrank.Priority(priority), Containers: asks, NodeName: node}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
