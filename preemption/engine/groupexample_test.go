package engine_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// training is a group of two that needs a cpu for each.
func training() []*outrank.Pod {
	var pods []*outrank.Pod
	for i := range 2 {
		pod := urgent()
		pod.Name, pod.Group = fmt.Sprint("train-", i), "train"
		pods = append(pods, pod)
	}
	return pods
}

// grouped is two full nodes. Of their pods, web on one node and cache on the
// other belong to one group: both leave or none.
func grouped() *outrank.Cluster {
	c := sample()
	c.Pods[0].Group, c.Pods[3].Group = "shop", "shop"
	c.Groups = []*outrank.PodGroup{
		{Name: "shop", DisruptionMode: outrank.DisruptPodGroup, Priority: outrank.Priority(100)},
		{Name: "train", Policy: outrank.GangPolicy, MinCount: 2, Priority: outrank.Priority(1000)},
	}
	return withGroups(c)
}

// withGroups switches groups on, which v1.37 has behind a feature gate.
func withGroups(c *outrank.Cluster) *outrank.Cluster {
	c.Release = must(outrank.V1_37.With(map[string]bool{"GenericWorkload": true}))
	return c
}

func ExampleEvaluator_PreemptGroup() {
	snap, eval := must(engine.NewSnapshot(grouped())), must(engine.New(preemption.Config{}))
	plan := must(eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: training(), Now: now}))
	fmt.Println(plan.Outcome)
	for _, a := range plan.Placement {
		fmt.Println("place", a)
	}
	for _, v := range plan.Victims {
		fmt.Println("evict", v, "of priority", v.Priority, "- it keeps out", v.Blocked.Name, "-", v.Blocks)
	}
	// Output:
	// preempt
	// place default/train-0 on n1
	// place default/train-1 on n1
	// evict default/web on n1 of priority 100 - it keeps out train-1 - NodeResourcesFit: Insufficient cpu
	// evict default/cache on n2 of priority 100 - it keeps out train-1 - NodeResourcesFit: Insufficient cpu
	// evict default/batch on n1 of priority 10 - it keeps out train-1 - NodeResourcesFit: Insufficient cpu
}

// Victims that leave together stand together.
func ExampleGroupPlan_Units() {
	snap, eval := must(engine.NewSnapshot(grouped())), must(engine.New(preemption.Config{}))
	plan := must(eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: training(), Now: now}))
	for unit := range plan.Units() {
		if unit[0].Group != nil {
			fmt.Print(unit[0].Group.Name, ": ")
		}
		fmt.Println(unit)
	}
	// Output:
	// shop: [default/web on n1 default/cache on n2]
	// [default/batch on n1]
}

// A scheduling function of the caller: never two pods of the group on one node.
func ExamplePlaceFunc() {
	eval := must(engine.New(preemption.Config{}))
	apart := func(_ context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		var placed []preemption.Assignment
		taken := map[string]bool{}
		for _, pod := range pods {
			nodes, err := draft.Feasible(pod, placed...)
			if err != nil {
				return nil, nil, err
			}
			free := slices.IndexFunc(nodes, func(n *outrank.Node) bool { return !taken[n.Name] })
			if free < 0 {
				return nil, &preemption.Refusal{Pod: pod, Reason: "no node of its own"}, nil
			}
			taken[nodes[free].Name] = true
			placed = append(placed, preemption.Assignment{Pod: pod, Node: nodes[free].Name})
		}
		return placed, nil, nil
	}
	snap := must(engine.NewSnapshot(withGroups(sample())))
	plan := must(eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: training(), Now: now, Place: apart}))
	fmt.Println(plan.Outcome, plan.Placement, plan.Victims)
	// Output: preempt [default/train-0 on n1 default/train-1 on n2] [default/cache on n2 default/batch on n1]
}

func ExampleSnapshot_Apply_group() {
	snap, eval := must(engine.NewSnapshot(grouped())), must(engine.New(preemption.Config{}))
	plan := must(eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: training(), Now: now}))
	mark := snap.Mark()
	fmt.Println(snap.Apply(plan), len(snap.PodsOn("n1")), snap.NominationOf("default/train-1"))
	fmt.Println(snap.Undo(mark), len(snap.PodsOn("n1")))
	// Output:
	// <nil> 0 n1
	// <nil> 2
}
