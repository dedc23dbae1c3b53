package filtertest_test

import (
	"errors"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/filtertest"
)

// onePerNode lets one pod on each node. Its author has forgotten to look at
// what is removed.
func onePerNode() *preemption.Filter {
	return &preemption.Filter{Name: "OnePerNode", Start: func(_ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		return onePerNodeState{view}, nil
	}}
}

type onePerNodeState struct{ view preemption.View }

func (s onePerNodeState) Check(n *outrank.Node) preemption.Status {
	if len(s.view.PodsOn(n.Name)) > 0 {
		return preemption.Unschedulable.Because("node(s) were taken")
	}
	return preemption.Status{}
}

func (onePerNodeState) Remove(*outrank.Pod, *outrank.Node) {}
func (onePerNodeState) Add(*outrank.Pod, *outrank.Node)    {}
func (s onePerNodeState) Clone() preemption.FilterState    { return s }

func ExampleCheck() {
	fmt.Println(filtertest.Check(onePerNode(), filtertest.Options{}))
	// Output:
	// filter OnePerNode: broken rule: following changes equals starting on a snapshot with these changes
	// 	cluster: seed 1, Nodes 1, PodsPerNode 1
	// 	state = Start default/preemptor
	// 	state.Remove team-b/p0-0 from j0
	// 	state.Check j0: unschedulable ["node(s) were taken"]
	// 	fresh = Start default/preemptor on a snapshot with these changes
	// 	fresh.Check j0: success
	// 	the state that was told of the changes said unschedulable ["node(s) were taken"], the one that was started on them success
}

// A test prints the warnings, and fails for what Check finds.
func ExampleWarnings() {
	for _, warning := range filtertest.Warnings(onePerNode()) {
		fmt.Println(warning)
	}
	// Output:
	// filter OnePerNode: it has no Concerns, so that every pod counts as one that it looks at: a decision about 5,000 nodes takes some hundred times as long (see preemption.Filter)
}

// Generated pods have no shares of GPUs, so that the test has to add them.
func ExampleOptions() {
	fmt.Println(filtertest.Check(gpuSharing{devices: 2}.filter(), filtertest.Options{}))
	fmt.Println(filtertest.Check(gpuSharing{devices: 2}.filter(), filtertest.Options{
		Prepare: func(c *outrank.Cluster, pod *outrank.Pod) {
			for _, n := range c.Nodes {
				n.Labels["gpus"] = "2"
			}
			for i, p := range c.Pods {
				p.Labels["gpu-share"] = fmt.Sprint(20 + 10*(i%5))
				if p.NodeName != "" {
					p.Labels["gpu-device"] = fmt.Sprint(i % 2)
				}
			}
			pod.Labels["gpu-share"] = "70"
		},
	}))
	// Output:
	// filter GPUSharing: broken rule: the filter turns some pod away from some node
	// 	Start returned a nil state for every pod: Options.Prepare can add to pods and nodes what it looks at
	// <nil>
}

func ExampleError() {
	err := filtertest.Check(onePerNode(), filtertest.Options{Seed: 100})
	var found *filtertest.Error
	if errors.As(err, &found) {
		for _, v := range found.Violations {
			fmt.Println(found.Filter, "breaks a rule:", v.Rule)
		}
	}
	// Output:
	// OnePerNode breaks a rule: following changes equals starting on a snapshot with these changes
}

func ExampleCheck_refused() {
	filter := &preemption.Filter{Name: "Any", Node: func(*outrank.Pod, *outrank.Node) preemption.Status { return preemption.Status{} }}
	fmt.Println(filtertest.Check(filter, filtertest.Options{Clusters: -1}))
	// Output:
	// filter test options: Clusters: -1 is not between 0 and 1000000
}
