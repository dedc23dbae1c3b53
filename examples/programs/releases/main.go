// Releases asks what other releases of Kubernetes would push out of the same cluster.
package main

import (
	"fmt"
	"log"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

func main() {
	// Two budgets cover front; the second one also covers back. From v1.37 on, front is charged only to the
	// first budget, because it violates that one.
	cluster := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2")},
		Pods: []*outrank.Pod{
			pod("front", 12, "n1"), pod("back", 10, "n1"),
			pod("cache", 20, "n2"), pod("queue", 20, "n2"),
		},
		Budgets: []*outrank.PodDisruptionBudget{budget("front", 0, "front"), budget("shop", 1, "front", "back"), budget("cache", 0, "cache")},
	}
	urgent := pod("urgent", 1000, "")
	urgent.Containers[0].Requests = resource.MustList("cpu", "4")

	for _, release := range []outrank.Release{outrank.V1_36, outrank.V1_37} {
		cluster.Release = release
		plan, err := preemption.Preempt(cluster, preemption.Request{Pod: urgent}, preemption.Config{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(plan.Release, plan.Node, plan.Victims, "violations:", plan.Score.Violations)
	}
}

func node(name string) *outrank.Node {
	return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "4", "pods", "10")}
}

func pod(app string, priority int32, node string) *outrank.Pod {
	return &outrank.Pod{
		Name: app, Labels: map[string]string{"app": app}, Priority: outrank.Priority(priority), NodeName: node,
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "2")}},
	}
}

func budget(name string, allowed int32, apps ...string) *outrank.PodDisruptionBudget {
	return &outrank.PodDisruptionBudget{Name: name, DisruptionsAllowed: allowed, Selector: &outrank.LabelSelector{
		MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.In, Values: apps}},
	}}
}
