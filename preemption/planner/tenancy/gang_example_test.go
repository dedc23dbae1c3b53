package tenancy_test

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// gang is a number of pods of the queue search, 1 cpu each, which start together or not at all.
func gang(members int) (*outrank.Cluster, []*outrank.Pod) {
	on := func(node string, p *outrank.Pod) *outrank.Pod { p.NodeName = node; return p }
	c := &outrank.Cluster{
		Release: must(outrank.V1_37.With(map[string]bool{"GenericWorkload": true})),
		Groups:  []*outrank.PodGroup{{Name: "rank", Policy: outrank.GangPolicy, MinCount: int32(members), Priority: outrank.Priority(10)}},
		Pods: []*outrank.Pod{
			on("n1", running("ads-1", "ads", "2", 90)), on("n1", running("ads-2", "ads", "1", 50)), on("n1", running("search-1", "search", "1", 10)),
			on("n2", running("ads-3", "ads", "2", 90)), on("n2", running("ads-4", "ads", "1", 60)), on("n2", running("search-2", "search", "1", 10)),
		},
	}
	for _, name := range []string{"n1", "n2"} {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "4", "pods", "10")})
	}
	var pods []*outrank.Pod
	for i := range members {
		p := pending(fmt.Sprint("rank-", i), "search", "1", 10)
		p.Group = "rank"
		pods = append(pods, p)
	}
	return c, pods
}

// A gang asks its queue as one workload: ads has borrowed 2 cpu, which it gives back on two
// nodes at once, and a gang of 3 does not get more than that.
func ExampleRules_Use_gang() {
	rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf}))
	var config preemption.Config
	rules.Use(&config)
	eval := must(engine.New(config))
	for _, members := range []int{2, 3} {
		cluster, pods := gang(members)
		snap := must(engine.NewSnapshot(cluster))
		plan := must(eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: now}))
		fmt.Println(plan.Outcome)
		if plan.Unhelpful != nil {
			fmt.Println(plan.Unhelpful.Guard)
		}
		for _, v := range plan.Victims {
			fmt.Println("evict", v, "of priority", v.Priority, "by", v.Rule)
		}
		for _, a := range plan.Placement {
			fmt.Println("place", a)
		}
	}
	// Output:
	// preempt
	// evict default/ads-4 on n2 of priority 60 by reclaimed within the cohort
	// evict default/ads-2 on n1 of priority 50 by reclaimed within the cohort
	// place default/rank-0 on n1
	// place default/rank-1 on n2
	// nothing-helps
	// Tenancy: queue search would have more than its own
}
