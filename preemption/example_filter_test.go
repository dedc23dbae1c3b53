package preemption_test

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// twoRacks has rack a with one node, and rack b with two, and a pod with a licence on each node.
func twoRacks() *outrank.Cluster {
	c := &outrank.Cluster{}
	for _, at := range []struct{ node, rack string }{{"a1", "a"}, {"b1", "b"}, {"b2", "b"}} {
		c.Nodes = append(c.Nodes, &outrank.Node{
			Name: at.node, Labels: map[string]string{"rack": at.rack}, Allocatable: resource.MustList("cpu", "8", "pods", "10"),
		})
	}
	for _, at := range []struct {
		pod, node string
		priority  int32
	}{{"ads", "a1", 50}, {"batch", "b1", 3}, {"search", "b2", 50}} {
		c.Pods = append(c.Pods, licensed(at.pod, at.priority))
		c.Pods[len(c.Pods)-1].NodeName = at.node
	}
	return c
}

// licensed is a pod that needs a licence.
func licensed(name string, priority int32) *outrank.Pod {
	return &outrank.Pod{Name: name, Priority: &priority, Labels: map[string]string{"licence": "yes"}}
}

// licences counts the pods that hold one, rack by rack.
var licences = &preemption.Tally[int]{
	Domain:   func(_ *outrank.Pod, n *outrank.Node) string { return n.Labels["rack"] },
	Concerns: func(p *outrank.Pod) bool { return p.Labels["licence"] == "yes" },
	Change:   func(held int, _ *outrank.Pod, by int) int { return held + by },
}

// fewLicences leaves one licence to rack a, and two to rack b.
var fewLicences = licences.Filter("Licences", func(held int, _ *outrank.Pod, n *outrank.Node) preemption.Status {
	if most := map[string]int{"a": 1, "b": 2}[n.Labels["rack"]]; held >= most {
		return preemption.Unschedulable.Because("no licence left in the rack")
	}
	return preemption.Status{}
})

// decide asks by one filter.
func decide(c *outrank.Cluster, pod *outrank.Pod, filter *preemption.Filter) *preemption.Plan {
	plan, err := preemption.Preempt(c, preemption.Request{Pod: pod}, preemption.Config{Filters: []*preemption.Filter{filter}})
	if err != nil {
		panic(err)
	}
	return plan
}

// Each node has room, but a pod has to let go of a licence: that of lower priority does.
func ExampleTally_Filter() {
	plan := decide(twoRacks(), licensed("web", 9), fewLicences)
	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
	fmt.Println(plan.Victims[0].Blocks)
	// Output:
	// preempt b1 [default/batch]
	// Licences: no licence left in the rack
}

// A rule of the caller's may look at the counts of a cluster, as here when it is first asked about a pod.
func ExampleTally_Count() {
	counting := &preemption.Filter{Name: "Counting", Start: func(_ *outrank.Pod, cluster preemption.View) (preemption.FilterState, error) {
		fmt.Println(licences.Count(cluster, "a"), licences.Count(cluster, "b"), licences.Count(cluster, "c"))
		return nil, nil
	}}
	c := twoRacks()
	decide(c, licensed("web", 9), counting)

	c.Pods = slices.DeleteFunc(c.Pods, func(p *outrank.Pod) bool { return p.Name == "batch" })
	decide(c, licensed("web", 9), counting)
	// Output:
	// 1 2 0
	// 1 1 0
}

// A pod without a team runs nowhere, and no node is asked about it.
func ExampleRefuse() {
	teams := &preemption.Filter{Name: "Teams", Start: func(pod *outrank.Pod, _ preemption.View) (preemption.FilterState, error) {
		if pod.Labels["team"] == "" {
			return preemption.Refuse(preemption.Unschedulable.Because("it has no team")), nil
		}
		return nil, nil
	}}
	plan := decide(twoRacks(), licensed("web", 9), teams)
	fmt.Println(plan.Outcome, plan.TurnedDown)
	// Output:
	// nothing-helps [3 Teams: it has no team]
}

// A filter that cannot say whether a pod would fit ends the search in an error, where there is no
// other candidate.
func ExamplePlan_Err() {
	served := licences.Filter("Server", func(held int, _ *outrank.Pod, _ *outrank.Node) preemption.Status {
		if held > 0 {
			return preemption.Unschedulable.Because("the licences are taken")
		}
		return preemption.Contradiction.Because("the licence server is away")
	})
	plan := decide(twoRacks(), licensed("web", 100), served)
	fmt.Println(plan.Outcome, plan.Err())
	// Output:
	// nothing-helps the licence server is away
}
