// First asks who would have to leave a node for an urgent pod.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

func main() {
	cluster := &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "2", "pods", "110")}},
		Pods:  []*outrank.Pod{pod("batch", 10, "1500m", "n1"), pod("web", 100, "500m", "n1")},
	}
	ask := preemption.Request{Pod: pod("urgent", 1000, "1", ""), Now: time.Now()}
	plan, err := preemption.Preempt(cluster, ask, preemption.Config{}) // what kube-scheduler does, every node
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
}

func pod(name string, priority int32, cpu, node string) *outrank.Pod {
	asks := []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}
	return &outrank.Pod{Name: name, Priority: outrank.Priority(priority), Containers: asks, NodeName: node}
}
