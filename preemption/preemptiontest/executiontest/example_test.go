package executiontest_test

import (
	"context"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/resource"
)

// A simulator changes its cluster in the calls of the executor.
func ExampleRecorder() {
	asking := []outrank.Container{{Requests: resource.MustList("cpu", "1")}}
	batch := &outrank.Pod{Name: "batch", NodeName: "n1", Priority: outrank.Priority(10), Containers: asking}
	urgent := &outrank.Pod{Name: "urgent", Priority: outrank.Priority(1000), Containers: asking}
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "1", "pods", "110")}},
		Pods:  []*outrank.Pod{batch, urgent},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	cluster := &executiontest.Recorder{Find: snap.Pod, Do: func(call executiontest.Call) error {
		switch call.Op {
		case "evict":
			return snap.RemovePod(call.Pod.Key())
		case "nominate":
			return snap.Nominate(call.Pod.Key(), call.Node)
		}
		return nil
	}}
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent, Now: now})
	if err != nil {
		fmt.Println(err)
		return
	}
	executor, err := execution.NewExecutor(execution.Config{Actions: cluster.Actions(), Parallel: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(executor.Execute(context.Background(), plan))
	for _, call := range cluster.Calls() {
		fmt.Println("-", call)
	}
	fmt.Println(len(snap.PodsOn("n1")), snap.NominationOf(urgent.Key()))
	// Output:
	// default/urgent on n1: completed; default/batch evicted; nominated <nil>
	// - latest default/urgent
	// - nominate default/urgent to n1
	// - evict default/batch (DisruptionTarget=True PreemptionByScheduler: default-scheduler: preempting to accommodate a higher priority pod)
	// - event Normal Preempted default/batch: Preempted by pod default/urgent on node n1
	// 0 n1
}
