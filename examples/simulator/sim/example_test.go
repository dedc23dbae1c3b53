package sim_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/resource"
)

// asking makes a pod.
func asking(name string, priority int32, cpu string) *outrank.Pod {
	return &outrank.Pod{Name: name, Priority: outrank.Priority(priority), Containers: []outrank.Container{
		{Name: "main", Requests: resource.MustList("cpu", cpu)},
	}}
}

// offering makes a node.
func offering(name, cpu string) *outrank.Node {
	return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", cpu, "memory", "8Gi", "pods", "110")}
}

func ExampleSimulation_Run() {
	cluster := &outrank.Cluster{Nodes: []*outrank.Node{offering("n1", "4")}}
	work := []sim.Work{
		{Pod: asking("batch", 0, "3"), Duration: time.Hour},
		{Pod: asking("web", 100, "2"), Arrival: time.Minute, Duration: 10 * time.Minute},
	}
	run, err := sim.New(cluster, work, sim.Config{
		Recreate: sim.Recreate{Rule: sim.RecreateWhenGone},
		Observe: func(e sim.Event) {
			fmt.Println(strings.TrimSpace(fmt.Sprint(e.Time, " ", e.Kind, " ", e.Pod.Name, " ", e.Node)))
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := run.Run(context.Background())
	fmt.Println(result.Pods.Finished, "finished,", result.Pods.Evicted, "evicted", err)
	// Output:
	// 0s arrive batch
	// 0s bind batch n1
	// 1m0s arrive web
	// 1m0s evict batch n1
	// 1m0s nominate web n1
	// 1m0s refuse web
	// 1m30s gone batch n1
	// 1m30s bind web n1
	// 1m31s arrive batch-r1
	// 1m31s refuse batch-r1
	// 11m30s finish web n1
	// 11m30s bind batch-r1 n1
	// 1h11m30s finish batch-r1 n1
	// 2 finished, 1 evicted <nil>
}

func ExampleSimulation_At() {
	run, err := sim.New(&outrank.Cluster{Nodes: []*outrank.Node{offering("n1", "4")}}, nil, sim.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for _, c := range []struct {
		at     time.Duration
		change sim.Change
	}{
		{0, sim.AddPod(sim.Work{Pod: asking("batch", 0, "3"), Endless: true})},
		{time.Second, sim.Cordon("n1")},
		{2 * time.Second, sim.AddPod(sim.Work{Pod: asking("late", 0, "1"), Endless: true})},
		{time.Minute, sim.DeletePod("default/batch")},
		{time.Hour, sim.Uncordon("n1")},
	} {
		if err := run.At(c.at, c.change); err != nil {
			fmt.Println(err)
		}
	}
	for _, at := range []time.Duration{3 * time.Second, 70 * time.Second, 2 * time.Hour} {
		if err := run.Until(ctx, at); err != nil {
			fmt.Println(err)
		}
		batch, late := run.Where("default/batch"), run.Where("default/late")
		fmt.Printf("%v: batch is %v, late is %v\n", run.Now(), batch.Phase, late.Phase)
	}
	// Output:
	// 3s: batch is running, late is queued
	// 1m10s: batch is terminating, late is queued
	// 2h0m0s: batch is gone, late is running
}
