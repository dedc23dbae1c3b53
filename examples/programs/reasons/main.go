// Reasons shows why preemption decides as it does, for every node and every victim, as data and as a
// document.
package main

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

func main() {
	cluster := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2"), node("n3")},
		Pods:  []*outrank.Pod{pod("batch", 10, "n1"), pod("web", 10, "n2"), pod("database", 5000, "n3")},
		Budgets: []*outrank.PodDisruptionBudget{{ // allows no disruption
			Name: "web", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}},
	}

	plan, err := preemption.Explain(cluster, preemption.Request{Pod: pod("urgent", 1000, "")}, preemption.Config{})
	if err != nil {
		log.Fatal(err)
	}

	// Candidates come from the best to the worst. For each victim there is a reason why it has to leave.
	fmt.Println(plan.Outcome, "on", plan.Node, "by", plan.DecidedBy)
	for _, c := range plan.Candidates {
		for _, v := range c.Victims {
			fmt.Print(c.Node, ": ", v, " has to leave, for with it: ", v.Blocks)
			for _, b := range v.Violated {
				fmt.Print("; that violates budget ", b.Name)
			}
			fmt.Println()
		}
	}

	// All other nodes have a reason why they do not help.
	for _, n := range plan.Nodes {
		if n.Candidate == nil {
			fmt.Println(n.Node, "is out:", n.Status, "- with every possible victim gone:", n.AfterRemoval)
		}
	}

	document, err := json.Marshal(plan)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(document))
}

func node(name string) *outrank.Node {
	return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "2", "pods", "110")}
}

func pod(app string, priority int32, node string) *outrank.Pod {
	return &outrank.Pod{
		Name: app, Labels: map[string]string{"app": app}, Priority: outrank.Priority(priority), NodeName: node,
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1500m")}},
	}
}
