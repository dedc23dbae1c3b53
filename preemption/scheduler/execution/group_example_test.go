package execution_test

import (
	"context"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// The plan for a gang is carried out, and the gang goes back to the queue, where it
// waits for its victim.
func ExampleExecutor_ExecuteGroup() {
	now := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	if err != nil {
		panic(err)
	}
	cluster, nominator := &executiontest.Recorder{}, &execution.Nominator{Release: release}
	meter := &metrics.Meter{}
	executor, err := execution.NewExecutor(execution.Config{Actions: cluster.Actions(), Nominator: nominator, Parallel: 1})
	if err != nil {
		panic(err)
	}
	q, err := queue.New(queue.Config{Release: release, Gates: []queue.Gate{{Name: "Preempting", Holds: executor.Preempting}}})
	if err != nil {
		panic(err)
	}
	q.PutGroup(&outrank.PodGroup{Name: "training", UID: "t1", Policy: outrank.GangPolicy, MinCount: 1})
	if err := q.Add(&outrank.Pod{Name: "worker", Group: "training"}, now); err != nil {
		panic(err)
	}
	e, _ := q.TryPop(now)
	back := nominator.SetAside(e.Group.Members[0].Pod)
	// The caller has tried to place the group here, and has asked Evaluator.PreemptGroup.
	plan := &preemption.GroupPlan{
		Group: e.Group.Key(), Release: release, Outcome: preemption.Preempts,
		Nominations: []preemption.Assignment{{Pod: e.Group.Members[0].Pod, Node: "n1"}},
		Victims:     []preemption.Victim{{Pod: &outrank.Pod{Name: "batch", NodeName: "n1"}}},
	}
	back()
	meter.AddGroupPreemption(plan)
	report, err := executor.ExecuteGroup(context.Background(), e.Group, plan)
	fmt.Println(report, err)
	meter.AddExecution(report, err)
	verdict, err := executor.Fail(context.Background(), execution.Failure{Entry: e, Queue: q, Now: now, Plan: plan})
	meter.AddFailure("default-scheduler", &verdict.Members[0], nil)
	fmt.Println(verdict.Members[0].Nomination, err, executor.Preempting(e.Group.Members[0].Pod))
	for _, call := range cluster.Calls() {
		if call.Event.Reason == "Preempted" {
			fmt.Println(call.Event)
		}
	}
	meter.SetQueue(q)
	fmt.Println(meter.Values().Groups)
	// Output:
	// default/training on cluster: completed; default/batch evicted; nominated <nil>
	// nominated to n1 <nil> false
	// Normal Preempted default/batch: Preempted by podgroup t1 on node cluster
	// 0 active, 1 in backoff, 0 unschedulable, 0 gated, 0 in flight
}
