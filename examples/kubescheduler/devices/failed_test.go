package devices_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
)

// answers is a plan with an answer of each node, in the words of statusOf.
func answers(pod *outrank.Pod, words ...string) *preemption.Plan {
	ex := &preemption.Plan{Pod: pod}
	for i, word := range words {
		n := preemption.NodeReport{Node: fmt.Sprint("n", i)}
		switch word {
		case "takes":
			ex.Feasible++
		case "fails":
			n.Status = preemption.Contradiction.Because("error of " + n.Node)
		case "ended":
			n.Status = preemption.Contradiction.Because("node " + n.Node + ": timed out trying to allocate devices")
		case "short":
			n.Status = preemption.Unschedulable.Because("cannot allocate all claims")
		case "elsewhere":
			n.Status, n.Status.ExcludedBy = preemption.UnschedulableAndUnresolvable.Because("not among the nodes"), "NodeAffinity"
		}
		if n.Status.Code != preemption.Success && n.Status.ExcludedBy == "" {
			n.Status.Filter = devices.Name
		}
		ex.Nodes = append(ex.Nodes, n)
	}
	return ex
}

// times is a word so many times.
func times(n int, word string) (list []string) {
	for range n {
		list = append(list, word)
	}
	return list
}

// An attempt ends in the error of a node that is asked. With how many others kube-scheduler looks no further is counted
// here by the lines of its document: below 100 nodes all, from there on half of them less one in 125, never below 100.
func TestFailed(t *testing.T) {
	nominated := &outrank.Pod{Name: "mine", NominatedNodeName: "n0"}
	for _, test := range []struct {
		name  string
		pod   *outrank.Pod
		words []string
		want  *devices.Failure
	}{
		{"nobody fails", nil, []string{"takes", "short"}, nil},
		{"one fails, and others take it", nil, []string{"takes", "fails", "takes"}, &devices.Failure{Nodes: []string{"n1"}, Errors: []string{"error of n1"}, Certain: true}},
		{"two fail, and nobody takes it", nil, []string{"fails", "short", "fails"}, &devices.Failure{Nodes: []string{"n0", "n2"}, Errors: []string{"error of n0", "error of n2"}, Certain: true}},
		{"the nominated node takes it and is asked alone", nominated, []string{"takes", "fails"}, nil},
		{"the nominated node fails, and the others are asked", nominated, []string{"fails", "takes"}, &devices.Failure{Nodes: []string{"n0"}, Errors: []string{"error of n0"}, Certain: true}},
		{"the nominated node does not take it", nominated, []string{"short", "fails"}, &devices.Failure{Nodes: []string{"n1"}, Errors: []string{"error of n1"}, Certain: true}},
		{"a search that was ended may find devices", nil, []string{"ended", "takes"}, &devices.Failure{Nodes: []string{"n0"}, Errors: []string{"node n0: timed out trying to allocate devices"}}},
		{"as many take it as are looked for", nil, append(times(100, "takes"), "fails"), &devices.Failure{Nodes: []string{"n100"}, Errors: []string{"error of n100"}, Certain: true}},
		{"one more", nil, append(times(101, "takes"), "fails"), &devices.Failure{Nodes: []string{"n101"}, Errors: []string{"error of n101"}}},
		{"nodes that are left out are not counted", nil, append(append(times(99, "elsewhere"), times(98, "takes")...), "fails"), &devices.Failure{Nodes: []string{"n197"}, Errors: []string{"error of n197"}, Certain: true}},
		{"of 1,000 nodes 42 in 100", nil, append(append(times(420, "takes"), "fails"), times(579, "short")...), &devices.Failure{Nodes: []string{"n420"}, Errors: []string{"error of n420"}, Certain: true}},
		{"and one more", nil, append(append(times(421, "takes"), "fails"), times(578, "short")...), &devices.Failure{Nodes: []string{"n421"}, Errors: []string{"error of n421"}}},
		{"of 10,000 nodes 5 in 100", nil, append(append(times(501, "takes"), "fails"), times(9498, "short")...), &devices.Failure{Nodes: []string{"n501"}, Errors: []string{"error of n501"}}},
	} {
		pod := test.pod
		if pod == nil {
			pod = &outrank.Pod{Name: "mine"}
		}
		assert.Equal(t, test.want, devices.Failed(answers(pod, test.words...)), test.name)
	}

	other := answers(&outrank.Pod{}, "fails")
	other.Nodes[0].Status.Filter = "Another"
	assert.Nil(t, devices.Failed(other), "the plugin for claims has not failed")
	assert.Nil(t, devices.Failed(nil))
}

// A pod wants all devices of a node, which are of two kinds: that is an error of the plugin.
func ExampleFailed() {
	plan := answers(&outrank.Pod{Name: "mine"}, "takes", "fails")
	if f := devices.Failed(plan); f != nil {
		fmt.Println(f.Nodes, f.Errors, f.Certain)
	}
	// Output: [n1] [error of n1] true
}
