// Filter adds a rule of its own about where a pod may run. The rule looks at the pod and the node only.
package main

import (
	"fmt"
	"log"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// rack allows a pod with the label rack only on the nodes of that rack.
func rack(pod *outrank.Pod, node *outrank.Node) preemption.Status {
	want := pod.Labels["rack"]
	if want == "" || want == node.Labels["rack"] {
		return preemption.Status{}
	}
	return preemption.UnschedulableAndUnresolvable.Because("node(s) in another rack")
}

func main() {
	config := preemption.Config{Filters: []*preemption.Filter{{Name: "Rack", Node: rack}}}
	cluster := &outrank.Cluster{
		Nodes: []*outrank.Node{node("a1", "a"), node("b1", "b")},
		Pods:  []*outrank.Pod{pod("cheap", 1, "a1", ""), pod("dear", 50, "b1", "")},
	}

	for _, want := range []string{"", "b", "c"} {
		plan, err := preemption.Preempt(cluster, preemption.Request{Pod: pod("urgent", 100, "", want)}, config)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(plan)
	}
}

func node(name, rack string) *outrank.Node {
	return &outrank.Node{Name: name, Labels: map[string]string{"rack": rack}, Allocatable: resource.MustList("cpu", "4", "pods", "10")}
}

func pod(name string, priority int32, node, rack string) *outrank.Pod {
	return &outrank.Pod{
		Name: name, Priority: outrank.Priority(priority), NodeName: node, Labels: map[string]string{"rack": rack},
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "3")}},
	}
}
