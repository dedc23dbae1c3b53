package preemption_test

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// webAndBatch has a node of one cpu, which two pods share: web, which matters more, and batch.
func webAndBatch() *outrank.Cluster {
	half := []outrank.Container{{Requests: resource.MustList("cpu", "500m")}}
	return &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "1", "pods", "10")}},
		Pods: []*outrank.Pod{
			{Name: "web", NodeName: "n1", Priority: outrank.Priority(10), Containers: half},
			{Name: "batch", NodeName: "n1", Priority: outrank.Priority(0), Containers: half},
		},
	}
}

// urgent asks for half a cpu, and matters more than either.
func urgent(name string) *outrank.Pod {
	return &outrank.Pod{
		Name: name, Priority: outrank.Priority(100), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "500m")}},
	}
}

// Both could leave, and one is enough: the less important one.
func ExamplePreempt() {
	plan, err := preemption.Preempt(webAndBatch(), preemption.Request{Pod: urgent("urgent")}, preemption.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
	fmt.Println(plan.Victims[0].Blocks)
	// Output:
	// preempt n1 [default/batch]
	// NodeResourcesFit: Insufficient cpu
}

// Every node says why it does not take the pod, and what the loss of all possible victims changes.
func ExampleExplain() {
	c := webAndBatch()
	c.Nodes = append(c.Nodes, &outrank.Node{Name: "n2", Unschedulable: true}, &outrank.Node{Name: "n3", Allocatable: resource.MustList("cpu", "400m", "pods", "10")})
	c.Nodes = append(c.Nodes, &outrank.Node{Name: "n4", Allocatable: resource.MustList("cpu", "1")})
	plan, err := preemption.Explain(c, preemption.Request{Pod: urgent("urgent")}, preemption.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range plan.Nodes {
		fmt.Printf("%s: %v (%v)\n", n.Node, n.Status, n.Status.Code)
		switch {
		case n.Candidate != nil:
			fmt.Println("    leaving:", n.Candidate.Victims)
		case n.AfterRemoval != nil:
			fmt.Println("    with all gone:", *n.AfterRemoval)
		}
	}
	// Output:
	// n1: NodeResourcesFit: Insufficient cpu (unschedulable)
	//     leaving: [default/batch]
	// n2: NodeUnschedulable: node(s) were unschedulable (unschedulable-and-unresolvable)
	// n3: NodeResourcesFit: Insufficient cpu (unschedulable-and-unresolvable)
	// n4: NodeResourcesFit: Too many pods (unschedulable)
	//     with all gone: No preemption victims found for incoming pod
}

// The two pods of a group need a whole node, or none.
func ExamplePreemptGroup() {
	c := webAndBatch()
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	if err != nil {
		fmt.Println(err)
		return
	}
	c.Release = release
	c.Groups = []*outrank.PodGroup{{Name: "pair", Policy: outrank.GangPolicy, MinCount: 2, Priority: outrank.Priority(100)}}
	pods := []*outrank.Pod{urgent("left"), urgent("right")}
	for _, p := range pods {
		p.Group = "pair"
	}
	plan, err := preemption.PreemptGroup(c, preemption.GroupRequest{Pods: pods}, preemption.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Outcome, plan.Placement)
	fmt.Println(plan.Victims)
	fmt.Println(plan.Status.Reasons[0])
	// Output:
	// preempt [default/left on n1 default/right on n1]
	// [default/web on n1 default/batch on n1]
	// pod group preemption: found a placement for podgroup, preempting 2 victims
}
