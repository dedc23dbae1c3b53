// Exact chooses other victims than kube-scheduler: the best set there is, without violating a budget. A
// certificate says whether the choice is proven to be the best.
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
	cluster := fullNode()
	fewest := []preemption.Rank{preemption.ByVictims}
	for _, policy := range []struct {
		name   string
		config preemption.Config
	}{
		{"kube-scheduler", preemption.Config{}},
		{"the fewest there can be", preemption.Config{Victims: preemption.Exact{}, Ranks: fewest}},
		{"the fewest within budgets", preemption.Config{Victims: preemption.Exact{}, Ranks: fewest, Budgets: preemption.NeverViolate}},
	} {
		plan, err := preemption.Preempt(cluster, preemption.Request{Pod: pod("urgent", 10, "4")}, policy.config)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(policy.name, plan.Victims, "violations:", plan.Score.Violations)

		// Only a search for the best set comes with a certificate.
		if c := plan.ClusterCertificate; c != nil {
			fmt.Println("  the best for certain:", c.Optimal)
		}
	}
}

// fullNode returns a full node. Its largest pod is the oldest one, and a budget covers it.
func fullNode() *outrank.Cluster {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	cluster := &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "8", "pods", "10")}},
		Budgets: []*outrank.PodDisruptionBudget{{ // allows no disruption
			Name: "large", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"size": "4"}},
		}},
	}
	for i, cpu := range []string{"4", "1", "1", "1", "1"} {
		p := pod(fmt.Sprint("p", i), 1, cpu)
		p.NodeName, p.StartTime = "n1", start.Add(time.Duration(i)*time.Hour)
		cluster.Pods = append(cluster.Pods, p)
	}
	return cluster
}

func pod(name string, priority int32, cpu string) *outrank.Pod {
	return &outrank.Pod{
		Name: name, Labels: map[string]string{"size": cpu}, Priority: outrank.Priority(priority),
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}},
	}
}
