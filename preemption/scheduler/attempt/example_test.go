package attempt_test

import (
	"context"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/resource"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

var now = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

func node(name, cpu string) *outrank.Node {
	return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", cpu, "memory", "64Gi", "pods", "110")}
}

func pod(name string, priority int32, cpu string) *outrank.Pod {
	asks := []outrank.Container{{Name: "main", Requests: resource.MustList("cpu", cpu)}}
	return &outrank.Pod{Name: name, UID: "uid-" + name, Priority: outrank.Priority(priority), Containers: asks}
}

// on is the pod on a node.
func on(p *outrank.Pod, node string) *outrank.Pod {
	placed := *p
	placed.NodeName = node
	return &placed
}

// One pod from the queue to its place: it pushes another pod out, waits until that pod has
// terminated, and is bound.
func Example() {
	batch := on(pod("batch", 1, "1500m"), "n1")
	snap := must(engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{node("n1", "2")}, Pods: []*outrank.Pod{batch}}))
	cluster := &executiontest.Recorder{} // in place of an API server
	loop := must(attempt.New(attempt.Config{Snapshot: snap, Queue: must(queue.New(queue.Config{})), Execution: execution.Config{Actions: cluster.Actions()}}))
	next := func(now time.Time) {
		result := must(loop.Next(context.Background(), now))
		fmt.Printf("%v %q\n", result.Outcome, result.Node)
	}

	fmt.Println(loop.Observe(nil, pod("urgent", 1000, "1"), now)) // informers tell what happens
	next(now)
	fmt.Println(loop.Observe(batch, nil, now.Add(30*time.Second))) // it has moved one pod
	next(now.Add(30 * time.Second))
	next(now.Add(time.Minute))
	for _, call := range cluster.Calls() {
		if call.Op == "evict" || call.Op == "bind" {
			fmt.Println("-", call.Op, call.Pod.Key(), call.Node)
		}
	}
	// Output:
	// 0 <nil>
	// preempting "n1"
	// 1 <nil>
	// bound "n1"
	// idle ""
	// - evict default/batch n1
	// - bind default/urgent n1
}

// Where a pod goes that fits may be the caller's own choice.
func ExampleLoop_Attempt() {
	snap := must(engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{node("n1", "4"), node("n2", "8"), node("n3", "1")}}))
	waiting := must(queue.New(queue.Config{}))
	last := func(_ context.Context, _ *outrank.Pod, nodes []*outrank.Node) (*outrank.Node, error) {
		return nodes[len(nodes)-1], nil
	}
	loop := must(attempt.New(attempt.Config{Snapshot: snap, Queue: waiting, Execution: execution.Config{Actions: (&executiontest.Recorder{}).Actions()}, Place: last}))
	fmt.Println(waiting.Add(pod("web", 1, "2"), now))
	entry, _ := waiting.TryPop(now)
	result, err := loop.Attempt(context.Background(), entry, now)
	fmt.Println(result.Outcome, result.Node, err, snap.NodeOf("default/web"))
	nodes, _, err := loop.Decide(context.Background(), pod("other", 1, "2"), now)
	fmt.Println(len(nodes), "nodes take another one", err)
	// Output:
	// <nil>
	// bound n2 <nil> n2
	// 2 nodes take another one <nil>
}

// A pod that is gone is no preemptor, and keeps no room.
func ExampleLoop_Nominator() {
	snap := must(engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{node("n1", "4")}}))
	loop := must(attempt.New(attempt.Config{Snapshot: snap, Queue: must(queue.New(queue.Config{})), Execution: execution.Config{Actions: (&executiontest.Recorder{}).Actions()}}))
	web := pod("web", 1, "2")
	fmt.Println(loop.Observe(nil, web, now))
	fmt.Println(loop.Nominator().Add(web, "n1"))
	fmt.Println(loop.Observe(web, nil, now))
	fmt.Println(loop.Nominator().Add(web, "n1"))
	fmt.Println(loop.Executor().Preempting(web))
	// Output:
	// 0 <nil>
	// <nil>
	// 0 <nil>
	// pod default/web: not found: it is gone, and cannot be nominated to node n1
	// false
}

func ExampleNew_refused() {
	_, err := attempt.New(attempt.Config{})
	fmt.Println(err)
	// Output:
	// attempt config: Snapshot: missing
	// attempt config: Queue: missing
	// attempt config: Execution.Actions.Evict: missing
	// attempt config: Execution.Actions.Bind: missing
}
