package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
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
	// 1m0s nominate web n1
	// 1m0s evict batch n1
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

// One node, a pod that fills it and a more important one: what becomes of them.
func Example() {
	cluster := &outrank.Cluster{Nodes: []*outrank.Node{offering("n1", "4")}}
	work := []sim.Work{
		{Pod: asking("batch", 0, "3"), Duration: time.Hour},
		{Pod: asking("web", 100, "2"), Arrival: time.Minute, Duration: 10 * time.Minute},
	}
	run, err := sim.New(cluster, work, sim.Config{Recreate: sim.Recreate{Rule: sim.RecreateWhenGone}})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := run.Run(context.Background())
	fmt.Println(result.Pods.Finished, "pods finished,", result.Pods.Evicted, "was evicted;", result.Lost.PodSeconds, "seconds of work are lost", err)
	// Output: 2 pods finished, 1 was evicted; 90 seconds of work are lost <nil>
}

// Pods come at random, and the node fails at random; both are drawn as the run goes, from a seed.
func ExampleSimulation_AddProcess() {
	run, err := sim.New(&outrank.Cluster{Nodes: []*outrank.Node{offering("n1", "4")}}, nil, sim.Config{
		Recreate: sim.Recreate{Rule: sim.RecreateWhenGone}, End: 24 * time.Hour,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	dice := rand.New(rand.NewPCG(1, 0))
	after := func(at *time.Duration, mean time.Duration) time.Duration {
		*at += time.Duration(dice.ExpFloat64() * float64(mean))
		return *at
	}
	var came, failed time.Duration
	pods := 0
	err = errors.Join(
		run.AddProcess(sim.Arrivals(func() (sim.Work, bool) {
			pods++
			return sim.Work{Pod: asking(fmt.Sprint("p", pods), 0, "1"), Arrival: after(&came, 20*time.Minute), Duration: time.Hour}, true
		})),
		run.AddProcess(sim.Failures(func() (sim.Failure, bool) {
			return sim.Failure{At: after(&failed, 12*time.Hour), Node: "n1", Repair: time.Hour}, true
		})),
	)
	if err != nil {
		fmt.Println(err)
	}
	result, err := run.Run(context.Background())
	fmt.Printf("%d pods came, %d finished; %.1f hours of work are lost %v\n", result.Pods.Arrived, result.Pods.Finished, result.Lost.PodSeconds/3600, err)
	// Output:
	// 74 pods came, 71 finished; 1.8 hours of work are lost <nil>
}

// A node is bought for whoever waits, and sold when nobody is on it.
func ExampleAutoscaler() {
	work := []sim.Work{{Pod: asking("a", 0, "4"), Duration: time.Hour}, {Pod: asking("b", 0, "4"), Duration: 10 * time.Minute}}
	run, err := sim.New(&outrank.Cluster{Nodes: []*outrank.Node{offering("n1", "4")}}, work, sim.Config{Follow: func(e sim.Event) {
		switch {
		case e.Kind == sim.Bound:
			fmt.Println(e.Time, e.Pod.Name, "goes to", e.Node)
		case e.Kind == sim.Changed && e.Object == nil:
			fmt.Println(e.Time, e.Node, "is gone")
		case e.Kind == sim.Changed:
			fmt.Println(e.Time, e.Node, "is there, cordoned:", e.Object.Unschedulable)
		}
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	bought := false
	process, err := sim.Autoscaler{Every: time.Minute, Decide: func(s *sim.Simulation) sim.Scaling {
		switch {
		case !bought && s.Waiting() > 0:
			bought = true
			return sim.Scaling{Add: []*outrank.Node{offering("n2", "4")}, Delay: 3 * time.Minute}
		case bought && s.Snapshot().Used("n2", resource.Pods) == 0 && s.Waiting() == 0:
			return sim.Scaling{Remove: []string{"n2"}}
		}
		return sim.Scaling{}
	}}.Process()
	if err := errors.Join(err, run.AddProcess(process)); err != nil {
		fmt.Println(err)
	}
	if _, err := run.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0s a goes to n1
	// 4m0s n2 is there, cordoned: false
	// 4m0s b goes to n2
	// 14m0s n2 is there, cordoned: true
	// 14m0s n2 is gone
}

// Licences are a filter of the program's own: a node has as many as its Value says, and a pod with the label
// needs one. The pod that has the only one is evicted for a more important one.
func ExampleFilterByPods() {
	licences := sim.FilterByPods("Licences", func(pod *outrank.Pod, node *outrank.Node, pods []*outrank.Pod) preemption.Status {
		needed := 0
		for _, p := range append(pods, pod) {
			if p.Labels["licence"] != "" {
				needed++
			}
		}
		if has, _ := node.Value.(int); pod.Labels["licence"] != "" && needed > has {
			return preemption.Unschedulable.Because("no licence is left")
		}
		return preemption.Status{}
	})
	node := offering("n1", "8")
	node.Value = 1
	work := []sim.Work{
		{Pod: asking("batch", 0, "1"), Endless: true},
		{Pod: asking("web", 100, "1"), Arrival: time.Minute, Endless: true},
	}
	for _, w := range work {
		w.Pod.Labels = map[string]string{"licence": "yes"}
	}
	run, err := sim.New(&outrank.Cluster{Nodes: []*outrank.Node{node}}, work, sim.Config{
		Schedulers: []sim.Scheduler{{Preemption: preemption.Config{Filters: []*preemption.Filter{licences}}}},
		Follow: func(e sim.Event) {
			if e.Kind == sim.Bound || e.Kind == sim.Evicted {
				fmt.Println(e.Time, e.Kind, e.Pod.Name, e.Cause)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := run.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0s bind batch none
	// 1m0s evict batch preempted
	// 1m30s bind web none
}

// A score of the program's own looks at any resource, and a scorer at all nodes: here kube-scheduler's.
func ExampleChoice_Level() {
	const gpu = "example.com/gpu"
	few, many := offering("few", "8"), offering("many", "8")
	few.Allocatable[gpu], many.Allocatable[gpu] = resource.New(2), resource.New(8)
	pod := asking("p", 0, "1")
	pod.Containers[0].Requests[gpu] = resource.New(1)
	packed := func(c *sim.Choice) int64 {
		level := c.Level(gpu)
		return 100 * level.Used / max(level.Allocatable, 1)
	}
	for _, scheduler := range []sim.Scheduler{{}, {Score: packed}, {Scorer: &score.Scorer{}}} {
		run, err := sim.New(&outrank.Cluster{Nodes: []*outrank.Node{many, few}}, []sim.Work{{Pod: pod, Endless: true}}, sim.Config{Schedulers: []sim.Scheduler{scheduler}})
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := run.Until(context.Background(), 0); err != nil {
			fmt.Println(err)
		}
		fmt.Println(run.Where("default/p").Node)
	}
	// Output:
	// many
	// few
	// many
}
