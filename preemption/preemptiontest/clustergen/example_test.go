package clustergen_test

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// Do the plans of many clusters have a property?
func Example() {
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	shape := clustergen.Full()
	decided, wrong := 0, 0
	for seed := range uint64(100) {
		cluster, err := clustergen.Cluster(shape, seed)
		if err != nil {
			fmt.Println(err)
			return
		}
		pod, err := clustergen.Preemptor(shape, seed)
		if err != nil {
			fmt.Println(err)
			return
		}
		snap, err := engine.NewSnapshot(cluster)
		if err != nil {
			fmt.Println(err)
			return
		}
		plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: clustergen.Now()})
		if err != nil {
			fmt.Println(err)
			return
		}
		decided++
		for _, v := range plan.Victims {
			if v.Pod.PriorityValue() >= pod.PriorityValue() {
				wrong++
			}
		}
	}
	fmt.Println(decided, "decisions,", wrong, "victims of too high a priority")
	// Output: 100 decisions, 0 victims of too high a priority
}

func ExampleCluster() {
	c, err := clustergen.Cluster(clustergen.Shape{Nodes: 2, PodsPerNode: 3, Budgets: 1}, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range c.Nodes {
		fmt.Println(n.Name, n.Allocatable)
	}
	for _, p := range c.Pods {
		fmt.Println(p.Key(), p.NodeName, p.PriorityValue(), p.Requests())
	}
	fmt.Println(c.Budgets[0].Key(), c.Budgets[0].DisruptionsAllowed)
	// Output:
	// j0 cpu: 1, ephemeral-storage: 1Gi, example.com/gpu: 1, hugepages-2Mi: 2Mi, memory: 512Mi, pods: 13
	// t1 cpu: 666m, ephemeral-storage: 1Gi, example.com/gpu: 1, hugepages-2Mi: 2Mi, memory: 284Mi, pods: 3
	// team-b/p0-0 j0 20 cpu: 100m, memory: 64Mi
	// team-a/p0-2 j0 20 cpu: 400m, memory: 192Mi
	// default/p1-0 t1 0 cpu: 100m, ephemeral-storage: 512Mi, example.com/gpu: 2, hugepages-2Mi: 2Mi, memory: 64Mi, storage: 5Gi
	// default/p0-0 j0 10 cpu: 100m, ephemeral-storage: 512Mi, example.com/gpu: 2, hugepages-2Mi: 2Mi, memory: 64Mi, storage: 5Gi
	// team-a/p1-0 t1 -10 cpu: 400m, memory: 192Mi
	// default/budget-0 2
}

func ExamplePreemptor() {
	p, err := clustergen.Preemptor(clustergen.Shape{}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Key(), p.PriorityValue(), p.Requests())
	// Output:
	// default/preemptor 1040 cpu: 350m, memory: 64Mi
}

func ExamplePreemptorGroup() {
	pods, err := clustergen.PreemptorGroup(clustergen.Shape{}, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range pods {
		fmt.Println(p.Key(), p.GroupKey(), p.PriorityValue(), p.Requests())
	}
	// Output:
	// team-b/preemptor-0 team-b/gang 1040 cpu: 300m
	// team-b/preemptor-1 team-b/gang 1040 cpu: 300m
}

func ExampleBenchmark() {
	c, p, err := clustergen.Benchmark(100, 30, 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := c.Budgets[5]
	fmt.Println(len(c.Nodes), "nodes,", len(c.Pods), "pods,", len(c.Budgets), "budgets")
	fmt.Println(b.Key(), "allows", b.DisruptionsAllowed, "of", b.Selector.MatchLabels["app"])
	fmt.Println("the preemptor has priority", *p.Priority, "and asks for", p.Requests())
	// Output:
	// 100 nodes, 3000 pods, 20 budgets
	// team-1/budget-5 allows 2 of app-5
	// the preemptor has priority 10000 and asks for cpu: 4, ephemeral-storage: 4Gi, memory: 6Gi
}

func ExampleShape_Validate() {
	fmt.Println(clustergen.Shape{Nodes: 1_000_000, Budgets: -1}.Validate())
	// Output:
	// cluster shape: Nodes: 1000000 is not between 0 and 100000
	// cluster shape: Budgets: -1 is not between 0 and 100000
}

func ExampleFull() {
	c, err := clustergen.Cluster(clustergen.Full(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(c.Nodes), "nodes,", len(c.Budgets), "budgets,", len(c.Groups), "groups, valid:", c.Validate() == nil)
	// Output: 5 nodes, 4 budgets, 2 groups, valid: true
}

func ExampleNow() {
	fmt.Println(clustergen.Now())
	// Output: 2026-01-10 13:00:00 +0000 UTC
}
