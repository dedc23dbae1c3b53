// First asks package preemption, the plain form of the rules, who has to leave so that an urgent pod can run.
package main

import (
	"fmt"
	"log"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

func main() {
	cluster := &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "2", "pods", "110")}},
		Pods:  []*outrank.Pod{pod("batch", 10, "1500m", "n1"), pod("web", 100, "500m", "n1")},
	}

	plan, err := preemption.Preempt(cluster, preemption.Request{Pod: pod("urgent", 1000, "1", "")}, preemption.Config{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
}

func pod(name string, priority int32, cpu, node string) *outrank.Pod {
	asks := []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}
	return &outrank.Pod{Name: name, Priority: outrank.Priority(priority), Containers: asks, NodeName: node}
}
