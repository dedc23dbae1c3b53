package execution_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// planned is the plan of the first example: batch leaves n1 for urgent.
func planned(snap *engine.Snapshot) *preemption.Plan {
	eval := must(engine.New(preemption.Config{}))
	return must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
}

func ExampleExecutor_Execute() {
	cluster := &executiontest.Recorder{}
	executor := must(execution.NewExecutor(execution.Config{Actions: cluster.Actions(), Parallel: 1}))
	plan := planned(must(engine.NewSnapshot(sample())))
	report, err := executor.Execute(context.Background(), plan)
	fmt.Println(report, err)
	for _, call := range cluster.Calls() {
		fmt.Println("-", call)
	}
	// Output:
	// default/urgent on n1: completed; default/batch evicted; nominated <nil>
	// - latest default/urgent
	// - nominate default/urgent to n1
	// - evict default/batch (DisruptionTarget=True PreemptionByScheduler: default-scheduler: preempting to accommodate a higher priority pod)
	// - event Normal Preempted default/batch: Preempted by pod default/urgent on node n1
}

// In the asynchronous order the call blocks as well; the caller says go, and
// waits when it wants to.
func ExampleExecutor_Preempting() {
	cluster := &executiontest.Recorder{}
	executor := must(execution.NewExecutor(execution.Config{Actions: cluster.Actions()}))
	plan, begun := planned(must(engine.NewSnapshot(sample()))), make(chan bool)
	cluster.Do = func(call executiontest.Call) error {
		if call.Op == "evict" {
			begun <- executor.Preempting(plan.Pod)
		}
		return nil
	}
	done := make(chan error)
	go func() {
		_, err := executor.Execute(context.Background(), plan)
		done <- err
	}()
	fmt.Println("kept out of the queue:", <-begun)
	fmt.Println(<-done, executor.Preempting(plan.Pod))
	// Output:
	// kept out of the queue: true
	// <nil> false
}

// A victim is evicted only once, until it is gone.
func ExampleExecutor_Gone() {
	executor := must(execution.NewExecutor(execution.Config{Actions: (&executiontest.Recorder{}).Actions()}))
	plan := planned(must(engine.NewSnapshot(sample())))
	for range 2 {
		report := must(executor.Execute(context.Background(), plan))
		fmt.Println(report.Victims[0].Result)
	}
	executor.Gone(plan.Victims[0].Pod)
	fmt.Println(must(executor.Execute(context.Background(), plan)).Victims[0].Result)
	// Output:
	// evicted
	// already-evicted
	// evicted
}

// What fails is reported, and leaves the preemptor to be tried again.
func ExampleReport() {
	cluster := &executiontest.Recorder{Do: func(call executiontest.Call) error {
		if call.Op == "evict" {
			return errors.New("the server is busy")
		}
		return nil
	}}
	executor := must(execution.NewExecutor(execution.Config{Actions: cluster.Actions()}))
	report, err := executor.Execute(context.Background(), planned(must(engine.NewSnapshot(sample()))))
	fmt.Println(err)
	fmt.Println(report.Result, report.Victims[0].Result, report.Nominated)
	// Output:
	// pod default/urgent: preempting on node n1: 0 of 1 victims done: victim default/batch: the server is busy
	// interrupted failed true
}

func ExampleNewExecutor_refused() {
	_, err := execution.NewExecutor(execution.Config{Parallel: -1})
	fmt.Println(err)
	// Output:
	// executor config: Parallel: -1 is not between 0 and 1024
}

func ExampleNominator() {
	var nominator execution.Nominator
	pod := urgent()
	fmt.Println(nominator.Add(pod, "n1"), nominator.NodeOf(pod.Key()), len(nominator.NominatedTo("n1")))
	fmt.Println(nominator.Add(pod, "n2"))
	nominator.Remove(pod) // the room on n1 is for others
	fmt.Println(nominator.Add(pod, "n2"), nominator.NodeOf(pod.Key()), len(nominator.NominatedTo("n1")), nominator.Len())
	// Output:
	// <nil> n1 1
	// pod default/urgent: not in the right state: it is nominated to node n1 already, and now to n2
	// <nil> n2 0 1
}

// News of a pod that does not know of its nomination yet does not undo it.
func ExampleNominator_Update() {
	var nominator execution.Nominator
	pod, labelled := urgent(), urgent()
	labelled.Labels = map[string]string{"seen": "yes"}
	nominator.Add(pod, "n1")
	nominator.Update(pod, labelled)
	fmt.Println(nominator.NodeOf(pod.Key()), nominator.NominatedTo("n1")[0] == labelled)

	moved := urgent()
	moved.NominatedNodeName = "n2"
	nominator.Update(labelled, moved)
	fmt.Println(nominator.NodeOf(pod.Key()))
	nominator.Update(moved, labelled)
	fmt.Printf("%q\n", nominator.NodeOf(pod.Key()))
	// Output:
	// n1 true
	// n2
	// ""
}

// Room that was made for one pod is not there for another of no more
// importance.
func ExampleNominator_ApplyTo() {
	cluster := sample()
	cluster.Pods = cluster.Pods[1:] // web has left n1
	snap, eval := must(engine.NewSnapshot(cluster)), must(engine.New(preemption.Config{}))
	var nominator execution.Nominator
	nominator.Add(urgent(), "n1")

	other := urgent()
	other.Name = "other"
	fmt.Println(must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: other, Now: now})).Outcome)
	fmt.Println(nominator.ApplyTo(snap), snap.NominationOf("default/urgent"))
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: other, Now: now}))
	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
	// Output:
	// fits
	// <nil> n1
	// preempt n1 [default/batch]
}

// A pod that fits nowhere goes back to the queue that it was popped from,
// nominated to the node where room is being made.
func ExampleExecutor_Fail() {
	var (
		ctx       = context.Background()
		snap      = must(engine.NewSnapshot(sample()))
		waiting   = must(queue.New(queue.Config{}))
		cluster   executiontest.Recorder
		nominator execution.Nominator
	)
	fmt.Println(waiting.Add(urgent(), now))
	entry, _ := waiting.TryPop(now)
	plan := must(must(engine.New(preemption.Config{})).Preempt(ctx, snap, preemption.Request{Pod: entry.Pod, Now: now}))

	executor := must(execution.NewExecutor(execution.Config{Actions: cluster.Actions(), Nominator: &nominator}))
	verdict, err := executor.Fail(ctx, execution.Failure{Entry: entry, Queue: waiting, Now: now, Plan: plan})
	fmt.Println(verdict.Result, "-", verdict.Nomination, err)
	for _, call := range cluster.Calls() {
		fmt.Println("-", call)
	}
	fmt.Println(nominator.NodeOf("default/urgent"))
	for _, e := range waiting.Pending().Unschedulable {
		fmt.Println(e.Pod.Key(), "waits for news about", e.FailedFilters)
	}
	// Output:
	// <nil>
	// requeued - nominated to n1 <nil>
	// - latest default/urgent
	// - event Warning FailedScheduling default/urgent: 0/2 nodes are available: 2 Insufficient cpu. preemption: found a potential placement for pod on node n1, preempting 1 victims
	// - update status default/urgent (PodScheduled=False Unschedulable: 0/2 nodes are available: 2 Insufficient cpu. preemption: found a potential placement for pod on node n1, preempting 1 victims; nominated to n1)
	// n1
	// default/urgent waits for news about [NodeResourcesFit]
}

// The verdict alone is data, and nothing is done.
func ExampleFailure_Verdict() {
	meek := urgent()
	meek.Priority = outrank.Priority(0)
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	f := execution.Failure{Entry: queue.Entry{Pod: meek}, Plan: must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: meek, Now: now}))}
	v := must(f.Verdict())
	fmt.Println(v.Condition.Reason, v.Filters, v.Nomination)
	fmt.Println(v.Event.Message)
	// Output:
	// Unschedulable [NodeResourcesFit] nomination cleared
	// 0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.
}
