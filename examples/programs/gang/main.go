// Gang places two pods that can only run together: first anywhere, then both in one rack.
package main

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

func main() {
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	if err != nil {
		log.Fatal(err)
	}

	cluster := &outrank.Cluster{
		Release: release,
		Nodes:   []*outrank.Node{node("a1", "a"), node("b1", "b"), node("b2", "b")},
		Pods:    []*outrank.Pod{pod("low-a1", 1, "a1"), pod("low-b1", 2, "b1"), pod("low-b2", 3, "b2")},
		Groups:  []*outrank.PodGroup{{Name: "train", Policy: outrank.GangPolicy, MinCount: 2, Priority: outrank.Priority(100)}},
	}

	gang := []*outrank.Pod{pod("train-0", 100, ""), pod("train-1", 100, "")}
	for _, p := range gang {
		p.Group = "train"
	}

	// Without a function of the caller, the pods are placed on any nodes.
	for _, place := range []preemption.PlaceFunc{nil, oneRack} {
		plan, err := preemption.PreemptGroup(cluster, preemption.GroupRequest{Pods: gang, Place: place}, preemption.Config{})
		if err != nil {
			log.Fatal(err)
		}

		fmt.Println(plan.Outcome, plan.Placement)
		for _, v := range plan.Victims {
			fmt.Println("  evict", v, "- it keeps out", v.Blocked.Name, "-", v.Blocks)
		}
	}
}

// oneRack places all pods in the first rack that has room for them. Each pod counts for those that are placed
// after it.
func oneRack(_ context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
	for _, rack := range []string{"a", "b"} {
		var placed []preemption.Assignment
		for _, pod := range pods {
			nodes, err := draft.Feasible(pod, placed...)
			if err != nil {
				return nil, nil, err
			}
			if i := slices.IndexFunc(nodes, func(n *outrank.Node) bool { return n.Labels["rack"] == rack }); i >= 0 {
				placed = append(placed, preemption.Assignment{Pod: pod, Node: nodes[i].Name})
			}
		}

		if len(placed) == len(pods) {
			return placed, nil, nil
		}
	}
	return nil, &preemption.Refusal{Reason: "no rack has room for all"}, nil
}

func node(name, rack string) *outrank.Node {
	return &outrank.Node{Name: name, Labels: map[string]string{"rack": rack}, Allocatable: resource.MustList("cpu", "4", "pods", "10")}
}

func pod(name string, priority int32, node string) *outrank.Pod {
	return &outrank.Pod{
		Name: name, Priority: outrank.Priority(priority), NodeName: node,
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "3")}},
	}
}
