// Scheduler is the core of a custom scheduler: it counts licences by rack, ranks nodes by lost work, and has
// tenants that preempt each other by rules of their own.
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

var now = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// licences counts the pods of a rack that hold a licence. Each rack has two.
var licences = &preemption.Tally[int]{
	Domain:   func(_ *outrank.Pod, n *outrank.Node) string { return n.Labels["rack"] },
	Concerns: func(p *outrank.Pod) bool { return p.Labels["licence"] != "" },
	Change:   func(held int, _ *outrank.Pod, by int) int { return held + by },
}

// enough allows a pod on the nodes of a rack that has a licence left.
func enough(held int, _ *outrank.Pod, _ *outrank.Node) preemption.Status {
	if held < 2 {
		return preemption.Status{}
	}
	return preemption.Unschedulable.Because("no licence left in the rack")
}

// take lets a tenant preempt its own pods of lower priority, and lets everybody preempt the pods of guests.
func take(preemptor, victim *outrank.Pod) (rule string, ok bool) {
	switch mine, theirs := preemptor.Labels["tenant"], victim.Labels["tenant"]; {
	case theirs == mine:
		return "own, less important", victim.PriorityValue() < preemptor.PriorityValue()
	case theirs == "guests":
		return "guests make way", true
	}
	return "", false
}

// lostWork returns the minutes of work that are lost if the pod is evicted.
func lostWork(victim *outrank.Pod) int64 { return int64(now.Sub(victim.StartTime) / time.Minute) }

func main() {
	eval, err := engine.New(preemption.Config{
		Filters:     []*preemption.Filter{licences.Filter("Licences", enough)},
		Eligibility: preemption.Eligibility{Take: take, AnyPriority: true},
		Ranks:       []preemption.Rank{preemption.ByViolations, {Name: "lost work", Cost: lostWork}, preemption.ByVictims},
	})
	if err != nil {
		log.Fatal(err)
	}

	snap, err := engine.NewSnapshot(racks())
	if err != nil {
		log.Fatal(err)
	}

	plan, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: licensed(pod("train", "ads", 100, "2"))})
	if err != nil {
		log.Fatal(err)
	}
	show(plan)

	// Once the victims have left, the pod runs. The tally follows these changes.
	if err := snap.Apply(plan); err != nil {
		log.Fatal(err)
	}
	if err := snap.Bind(plan.Pod.Key(), plan.Node); err != nil {
		log.Fatal(err)
	}
	fmt.Println("licences held in rack a:", licences.Count(snap, "a"))
}

// racks returns two racks whose nodes are full. The first one has no licence left.
func racks() *outrank.Cluster {
	return &outrank.Cluster{
		Nodes: []*outrank.Node{node("a1", "a"), node("a2", "a"), node("b1", "b")},
		Pods: []*outrank.Pod{
			running(licensed(pod("notebook", "guests", 500, "4")), "a1", 30*time.Minute),
			running(licensed(pod("index", "search", 10, "2")), "a2", 90*time.Minute),
			running(pod("crawl", "guests", 0, "2"), "a2", 5*time.Minute),
			running(pod("report", "ads", 10, "4"), "b1", 600*time.Minute),
		},
	}
}

// show prints the plan, the rule by which each victim leaves, and why the other nodes do not help.
func show(plan *preemption.Plan) {
	fmt.Println(plan.Outcome, "on", plan.Node, "by", plan.DecidedBy, plan.Score.Own)
	for _, v := range plan.Victims {
		fmt.Println("  evict", v, "by the rule:", v.Rule)
	}
	for _, n := range plan.Nodes {
		if n.Candidate == nil {
			fmt.Println("  not on", n.Node, "because of", n.AfterRemoval)
		}
	}
}

func node(name, rack string) *outrank.Node {
	return &outrank.Node{Name: name, Labels: map[string]string{"rack": rack}, Allocatable: resource.MustList("cpu", "4", "pods", "10")}
}

func pod(name, tenant string, priority int32, cpu string) *outrank.Pod {
	return &outrank.Pod{
		Name: name, Labels: map[string]string{"tenant": tenant}, Priority: outrank.Priority(priority),
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}},
	}
}

func licensed(p *outrank.Pod) *outrank.Pod {
	p.Labels["licence"] = "yes"
	return p
}

func running(p *outrank.Pod, node string, since time.Duration) *outrank.Pod {
	p.NodeName, p.StartTime = node, now.Add(-since)
	return p
}
