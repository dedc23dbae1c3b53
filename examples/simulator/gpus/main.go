// Command gpus simulates pods that share GPUs. A filter needs one GPU with room for a pod's whole share, and
// two scores are compared by how much they leave in fragments that no typical pod can use.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/metrics"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

const gpu, whole = "example.com/gpu-milli", 1000

// share is the Value of a pod: its part of one GPU and, once it is bound, the index of that GPU on its node.
type share struct{ milli, on int64 }

// free returns what is left of each GPU of a node. A nominated pod counts on the GPU that it would get.
func free(n *outrank.Node, pods []*outrank.Pod) []int64 {
	left := slices.Repeat([]int64{whole}, n.Value.(int))
	for _, p := range pods {
		s := *p.Value.(*share)
		if p.NodeName == "" {
			s.on = max(fullest(left, s.milli), 0)
		}
		left[s.on] -= s.milli
	}
	return left
}

// fullest returns the GPU with the least room that is enough for a share, or -1.
func fullest(left []int64, milli int64) (at int64) {
	at = -1
	for i, v := range left {
		if v >= milli && (at < 0 || v < left[at]) {
			at = int64(i)
		}
	}
	return at
}

// takes is the filter: a node is feasible if one of its GPUs has room for all of the pod's share.
func takes(p *outrank.Pod, n *outrank.Node, pods []*outrank.Pod) preemption.Status {
	if fullest(free(n, pods), p.Value.(*share).milli) >= 0 {
		return preemption.Status{}
	}
	return preemption.Unschedulable.Because("no GPU has enough left")
}

// tight is a score: the less room there was on the GPU that the pod gets, the better.
func tight(c *sim.Choice) int64 {
	left := free(c.Node, c.Snapshot.PodsOn(c.Node.Name))
	return -left[fullest(left, c.Pod.Value.(*share).milli)]
}

// simulate runs the same pods with a score, and returns the result as one line.
func simulate(name string, score sim.Score) string {
	cluster, dice := &outrank.Cluster{}, rand.New(rand.NewPCG(1, 0))
	for i := range 4 {
		cluster.Nodes = append(cluster.Nodes, &outrank.Node{Name: fmt.Sprint("n", i), Value: 4, Allocatable: resource.MustList(gpu, "4k", "pods", "99")})
	}
	pods, work := []*outrank.Pod{}, []sim.Work{}
	for i := range 300 {
		s := &share{milli: []int64{200, 400, 700, 1000}[dice.IntN(4)]}
		pods = append(pods, &outrank.Pod{Name: fmt.Sprint("p", i), Priority: outrank.Priority(dice.Int32N(2)), Value: s,
			Containers: []outrank.Container{{Requests: resource.List{gpu: resource.New(s.milli)}}}})
		work = append(work, sim.Work{Pod: pods[i], Arrival: time.Duration(i) * 20 * time.Second, Duration: time.Duration(1+dice.IntN(15)) * time.Minute})
	}
	collector := must(metrics.New(cluster, metrics.Config{Resources: []resource.Name{gpu}, Fragmentation: &metrics.Fragmentation{
		Resource: gpu, Mix: metrics.MixOf(pods, 0), Devices: free, Device: whole}}))
	rules := preemption.Config{Filters: []*preemption.Filter{sim.FilterByPods("OneGPU", takes)}}
	config := sim.Config{Schedulers: []sim.Scheduler{{Preemption: rules, Score: score}}, Recreate: sim.Recreate{Rule: sim.RecreateWhenGone}, Follow: collector.Event}
	var run *sim.Simulation
	config.Bind = func(p *outrank.Pod, n *outrank.Node) error {
		p.Value.(*share).on = fullest(free(n, run.Snapshot().PodsOn(n.Name)), p.Value.(*share).milli)
		return nil
	}
	run = must(sim.New(cluster, work, config))
	must(run.Run(context.Background()))
	r := collector.Report(run.Now())
	return fmt.Sprintf("%-16s %d of %d pods finished, %d evicted, slowdown %.2f, %.1f%% of all GPUs used, %.1f%% of the rest in fragments\n", name,
		r.All.Finished, r.All.Arrived, r.All.Evicted(), r.All.Slowdown.Mean, 100*r.All.Resources[0].Utilisation, 100*r.Fragmentation.Share)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func main() {
	fmt.Print(simulate("least allocated", nil), simulate("tight", tight))
}
