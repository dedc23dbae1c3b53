package engine_test

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/filtertest"
	"github.com/outrank-go/outrank/resource"
)

// gpuSharing is a filter for pods that share GPUs. A pod asks for a share of one GPU,
// in percent, by the label gpu-share. Once it runs, gpu-device says which GPU of the
// node it is on. A node says by the label gpus how many it has.
var gpuSharing = &preemption.Filter{Name: "GPUSharing", Concerns: sharesGPU, Start: startSharing}

// gpuTracker counts the shares in a cluster.
var gpuTracker = &preemption.Tracker{Concerns: sharesGPU, New: func() preemption.ClusterState { return gpuCluster{} }}

// mostGPUs is how many GPUs a node can have.
const mostGPUs = 8

func share(p *outrank.Pod) int    { return number(p.Labels, "gpu-share") }
func gpusOf(n *outrank.Node) int  { return min(number(n.Labels, "gpus"), mostGPUs) }
func deviceOf(p *outrank.Pod) int { return number(p.Labels, "gpu-device") % mostGPUs }
func nominee(p *outrank.Pod) bool { return p.NodeName == "" }
func number(labels map[string]string, name string) int {
	n, _ := strconv.Atoi(labels[name])
	return max(n, 0)
}

// sharesGPU: the others hold no GPU.
func sharesGPU(p *outrank.Pod) bool { return share(p) > 0 }

// gpuCluster has, by node, what is taken of each GPU, in percent.
type gpuCluster map[string]taken

type taken [mostGPUs]int

func (c gpuCluster) change(p *outrank.Pod, n *outrank.Node, by int) {
	c[n.Name] = c[n.Name].with(p, n, by)
}

func (c gpuCluster) Add(p *outrank.Pod, n *outrank.Node)    { c.change(p, n, 1) }
func (c gpuCluster) Remove(p *outrank.Pod, n *outrank.Node) { c.change(p, n, -1) }
func (c gpuCluster) Clone() preemption.ClusterState         { return maps.Clone(c) }

// with counts a pod on its GPU. A pod that is still on its way to the node could come
// on any.
func (t taken) with(p *outrank.Pod, n *outrank.Node, by int) taken {
	for gpu := range t {
		if nominee(p) || gpu == deviceOf(p) {
			t[gpu] += by * share(p)
		}
	}
	return t
}

// startSharing has nothing to say about pods that want no GPU.
func startSharing(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	if share(pod) == 0 {
		return nil, nil
	}
	return &gpuAttempt{share(pod), view.Tracked(gpuTracker).(gpuCluster), gpuCluster{}}, nil
}

// gpuAttempt is the search for a share of this size. The snapshot's own state is only
// read; nodes where something was removed or added are in changed.
type gpuAttempt struct {
	want             int
	cluster, changed gpuCluster
}

func (a *gpuAttempt) at(n *outrank.Node) taken {
	if t, ok := a.changed[n.Name]; ok {
		return t
	}
	return a.cluster[n.Name]
}

func (a *gpuAttempt) Check(n *outrank.Node) preemption.Status {
	t := a.at(n)
	for gpu := range gpusOf(n) {
		if t[gpu]+a.want <= 100 {
			return preemption.Status{}
		}
	}
	if gpusOf(n) == 0 {
		return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Reasons: noGPU}
	}
	return preemption.Status{Code: preemption.Unschedulable, Reasons: noShare}
}

var noGPU, noShare = []string{"node(s) had no GPU"}, []string{"no GPU with a large enough share left"}

func (a *gpuAttempt) Add(p *outrank.Pod, n *outrank.Node) { a.changed[n.Name] = a.at(n).with(p, n, 1) }
func (a *gpuAttempt) Remove(p *outrank.Pod, n *outrank.Node) {
	a.changed[n.Name] = a.at(n).with(p, n, -1)
}
func (a *gpuAttempt) Clone() preemption.FilterState {
	return &gpuAttempt{a.want, a.cluster, maps.Clone(a.changed)}
}

// The filter keeps its contract, also where what it counts is tracked.
func TestGPUSharingKeepsItsContract(t *testing.T) {
	err := filtertest.Check(gpuSharing, filtertest.Options{Clusters: seeded.Sample(15, 60), Prepare: func(c *outrank.Cluster, pod *outrank.Pod) {
		for i, n := range c.Nodes {
			n.Labels["gpus"] = fmt.Sprint(i % 3)
		}
		for i, p := range c.Pods {
			if i%3 > 0 {
				p.Labels["gpu-share"], p.Labels["gpu-device"] = fmt.Sprint(20+10*(i%5)), fmt.Sprint(i%2)
			}
		}
		pod.Labels["gpu-share"] = "70"
	}})
	require.NoError(t, err)
}

// Two pods share the GPU of each node. The snapshot counts the shares once, and
// follows the changes; a decision reads what there is.
func ExampleSnapshot_Tracked() {
	pod := func(name, node, share string, priority int32) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: node, Priority: outrank.Priority(priority),
			Labels:     map[string]string{"gpu-share": share, "gpu-device": "0"},
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
		}
	}
	node := func(name string) *outrank.Node {
		return &outrank.Node{
			Name: name, Labels: map[string]string{"gpus": "1"}, Allocatable: resource.MustList("cpu", "8", "pods", "10"),
		}
	}
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2")},
		Pods: []*outrank.Pod{
			pod("train", "n1", "60", 10), pod("notebook", "n1", "40", 20),
			pod("render", "n2", "50", 30), pod("game", "n2", "50", 40),
		},
	}))
	eval := must(engine.New(preemption.Config{Filters: []*preemption.Filter{gpuSharing}}))
	serve := pod("serve", "", "50", 100)
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: serve, Now: now}))
	fmt.Println(plan.Node, plan.Victims)

	_, _ = snap.PutPod(pod("tune", "n1", "0", 50)) // does not concern the filter
	_ = snap.RemovePod("default/game")             // does
	plan = must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: serve, Now: now}))
	fmt.Println(plan.Outcome, snap.Tracked(gpuTracker).(gpuCluster)["n2"][0])
	// Output:
	// n1 [default/train]
	// fits 50
}

// Remove takes back what Add did, and a clone keeps what it had.
func Example_clusterState() {
	var state preemption.ClusterState = gpuCluster{}
	node := &outrank.Node{Name: "n1", Labels: map[string]string{"gpus": "1"}}
	train := &outrank.Pod{Name: "train", NodeName: "n1", Labels: map[string]string{"gpu-share": "60"}}
	state.Add(train, node)
	before := state.Clone()
	state.Remove(train, node)
	fmt.Println(before.(gpuCluster)["n1"][0], state.(gpuCluster)["n1"][0])
	// Output: 60 0
}

// Nodes of one rack are not to be used by batch pods.
func ExampleConfig_keyedFilter() {
	rule := &preemption.Filter{Name: "NoBatch",
		Key: func(pod *outrank.Pod) string { return pod.Labels["class"] },
		Node: func(pod *outrank.Pod, node *outrank.Node) preemption.Status {
			if pod.Labels["class"] == "batch" && node.Name == "n1" {
				return preemption.UnschedulableAndUnresolvable.Because("node(s) take no batch pods")
			}
			return preemption.Status{}
		}}
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{Filters: []*preemption.Filter{rule}}))
	for _, class := range []string{"web", "batch"} {
		pod := urgent()
		pod.Labels = map[string]string{"class": class}
		plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: now}))
		fmt.Println(class, plan.Node, plan.Victims)
	}
	// Output:
	// web n1 [default/batch]
	// batch n2 [default/cache]
}
