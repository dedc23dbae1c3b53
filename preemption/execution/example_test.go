package execution_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/execution/executiontest"
)

// planned is the plan of the first example: batch leaves n1 for urgent.
func planned(snap *preemption.Snapshot) *preemption.Plan {
	eval := must(preemption.New(preemption.Config{}))
	return must(eval.Preempt(context.Background(), snap, urgent(), now))
}

func ExampleExecutor_CarryOut() {
	cluster := &executiontest.Recorder{}
	executor := must(execution.NewExecutor(execution.ExecutorConfig{Actions: cluster, Parallel: 1}))
	plan := planned(must(preemption.NewSnapshot(sample())))
	report, err := executor.CarryOut(context.Background(), plan)
	fmt.Println(report, err)
	for _, call := range cluster.Calls() {
		fmt.Println("-", call)
	}
	// Output:
	// default/urgent on n1: carried out; default/batch evicted; nominated <nil>
	// - latest default/urgent
	// - evict default/batch (DisruptionTarget=True PreemptionByScheduler: default-scheduler: preempting to accommodate a higher priority pod)
	// - event Normal Preempted default/batch: Preempted by pod default/urgent on node n1
	// - nominate default/urgent to n1
}

// In the asynchronous order the call blocks as well; the caller says go, and
// waits when it wants to.
func ExampleExecutor_Preempting() {
	cluster := &executiontest.Recorder{}
	executor := must(execution.NewExecutor(execution.ExecutorConfig{Actions: cluster, Order: execution.Asynchronous}))
	plan, begun := planned(must(preemption.NewSnapshot(sample()))), make(chan bool)
	cluster.Do = func(call executiontest.Call) error {
		if call.Op == executiontest.OpEvict {
			begun <- executor.Preempting(plan.Pod.Key())
		}
		return nil
	}
	done := make(chan error)
	go func() {
		_, err := executor.CarryOut(context.Background(), plan)
		done <- err
	}()
	fmt.Println("kept out of the queue:", <-begun)
	fmt.Println(<-done, executor.Preempting(plan.Pod.Key()))
	// Output:
	// kept out of the queue: true
	// <nil> false
}

// A victim is told to go once, until it is gone.
func ExampleExecutor_Gone() {
	executor := must(execution.NewExecutor(execution.ExecutorConfig{Actions: &executiontest.Recorder{}}))
	plan := planned(must(preemption.NewSnapshot(sample())))
	for range 2 {
		report := must(executor.CarryOut(context.Background(), plan))
		fmt.Println(report.Victims[0].Deed)
	}
	executor.Gone(plan.Victims[0].Pod)
	fmt.Println(must(executor.CarryOut(context.Background(), plan)).Victims[0].Deed)
	// Output:
	// evicted
	// evicted before
	// evicted
}

// What fails is reported, and leaves the preemptor to be tried again.
func ExampleReport() {
	cluster := &executiontest.Recorder{Do: func(call executiontest.Call) error {
		if call.Op == executiontest.OpEvict {
			return errors.New("the server is busy")
		}
		return nil
	}}
	executor := must(execution.NewExecutor(execution.ExecutorConfig{Actions: cluster}))
	report, err := executor.CarryOut(context.Background(), planned(must(preemption.NewSnapshot(sample()))))
	fmt.Println(err)
	fmt.Println(report.Ending, len(report.Done()), len(report.Left()), report.Nominated)
	// Output:
	// pod default/urgent: preempting on node n1: 0 of 1 victims done: victim default/batch: the server is busy
	// interrupted 0 1 false
}

func ExampleExecutorConfig_Validate() {
	c := execution.ExecutorConfig{Parallel: -1}
	fmt.Println(c.Validate())
	// Output:
	// executor config: Actions: missing
	// executor config: Parallel: -1 is not between 0 and 1024
}

// A simulator moves its cluster on by what the executor does.
func ExampleRecorder() {
	snap := must(preemption.NewSnapshot(sample()))
	pod := urgent()
	fmt.Println(snap.AddPod(pod))
	cluster := &executiontest.Recorder{Find: snap.Pod, Do: func(call executiontest.Call) error {
		switch call.Op {
		case executiontest.OpEvict:
			return snap.RemovePod(call.Pod.Key())
		case executiontest.OpNominate:
			return snap.Nominate(call.Pod.Key(), call.Node)
		}
		return nil
	}}
	plan := planned(snap)
	executor := must(execution.NewExecutor(execution.ExecutorConfig{Actions: cluster, Parallel: 1}))
	fmt.Println(executor.CarryOut(context.Background(), plan))
	fmt.Println(len(snap.PodsOn("n1")), snap.NominationOf(pod.Key()))
	// Output:
	// <nil>
	// default/urgent on n1: carried out; default/batch evicted; nominated <nil>
	// 1 n1
}

func ExampleNominator() {
	var nominator execution.Nominator
	pod := urgent()
	nominator.Add(pod, "n1")
	fmt.Println(nominator.NodeOf(pod.Key()), len(nominator.NominatedTo("n1")))
	nominator.Add(pod, "n2") // the old entry goes first
	fmt.Println(nominator.NodeOf(pod.Key()), len(nominator.NominatedTo("n1")))
	// Output:
	// n1 1
	// n2 0
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
	moved.NominatedNode = "n2"
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
	snap, eval := must(preemption.NewSnapshot(cluster)), must(preemption.New(preemption.Config{}))
	var nominator execution.Nominator
	nominator.Add(urgent(), "n1")

	other := urgent()
	other.Name = "other"
	fmt.Println(must(eval.Preempt(context.Background(), snap, other, now)).Outcome)
	fmt.Println(nominator.ApplyTo(snap), snap.NominationOf("default/urgent"))
	plan := must(eval.Preempt(context.Background(), snap, other, now))
	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
	// Output:
	// fits
	// <nil> n1
	// preempt n1 [default/batch]
}

// A pod that fits nowhere goes back to the queue, nominated to where room is
// being made.
func ExampleHandleFailure() {
	var (
		snap      = must(preemption.NewSnapshot(sample()))
		cluster   executiontest.Recorder
		nominator execution.Nominator
	)
	plan := planned(snap)
	after, err := execution.HandleFailure(context.Background(),
		execution.FailureParts{Actions: &cluster, Queue: &cluster, Nominator: &nominator},
		execution.Failure{Pod: plan.Pod, Plan: plan})
	fmt.Println(after.Kind, "-", after.Requeue, "-", after.Nomination, err)
	for _, call := range cluster.Calls() {
		fmt.Println("-", call)
	}
	fmt.Println(nominator.NodeOf("default/urgent"))
	// Output:
	// fits nowhere - back to the queue - nominated to n1 <nil>
	// - latest default/urgent
	// - requeue default/urgent [NodeResourcesFit]
	// - event Warning FailedScheduling default/urgent: 0/2 nodes are available: 2 Insufficient cpu.
	// - update status default/urgent (PodScheduled=False Unschedulable: 0/2 nodes are available: 2 Insufficient cpu.; nominated to n1)
	// n1
}

// The verdict alone is data, and nothing is done.
func ExampleFailure_Verdict() {
	meek := urgent()
	meek.Priority = outrank.Priority(0)
	snap, eval := must(preemption.NewSnapshot(sample())), must(preemption.New(preemption.Config{}))
	f := execution.Failure{Pod: meek, Plan: must(eval.Preempt(context.Background(), snap, meek, now))}
	v := must(f.Verdict())
	fmt.Println(v.Condition.Reason, v.Filters, v.Nomination)
	fmt.Println(v.Event.Message)
	// Output:
	// Unschedulable [NodeResourcesFit] nomination cleared
	// 0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.
}

// The text format of Prometheus.
func ExampleCounts_Families() {
	var metrics execution.Metrics
	metrics.AddPreemption()
	metrics.AddVictims(3)
	metrics.AddAttempt(execution.Attempt{Result: execution.ResultUnschedulable, Profile: "default-scheduler"})
	metrics.SetPending(execution.Pending{Active: 2, Unschedulable: 1})
	for _, f := range metrics.Counts().Families() {
		fmt.Printf("# HELP %s %s\n# TYPE %s %s\n", f.Name, f.Help, f.Name, f.Type)
		for _, s := range f.Samples {
			fmt.Println(s)
		}
	}
	// Output:
	// # HELP scheduler_pending_pods Number of pending pods by queue.
	// # TYPE scheduler_pending_pods gauge
	// scheduler_pending_pods{queue="active"} 2
	// scheduler_pending_pods{queue="backoff"} 0
	// scheduler_pending_pods{queue="gated"} 0
	// scheduler_pending_pods{queue="unschedulable"} 1
	// # HELP scheduler_preemption_attempts_total How often preemption was tried.
	// # TYPE scheduler_preemption_attempts_total counter
	// scheduler_preemption_attempts_total 1
	// # HELP scheduler_preemption_victims Number of victims of a preemption.
	// # TYPE scheduler_preemption_victims histogram
	// scheduler_preemption_victims_bucket{le="1"} 0
	// scheduler_preemption_victims_bucket{le="2"} 0
	// scheduler_preemption_victims_bucket{le="4"} 1
	// scheduler_preemption_victims_bucket{le="8"} 1
	// scheduler_preemption_victims_bucket{le="16"} 1
	// scheduler_preemption_victims_bucket{le="32"} 1
	// scheduler_preemption_victims_bucket{le="64"} 1
	// scheduler_preemption_victims_bucket{le="+Inf"} 1
	// scheduler_preemption_victims_sum 3
	// scheduler_preemption_victims_count 1
	// # HELP scheduler_schedule_attempts_total Number of attempts to schedule pods, by how they ended.
	// # TYPE scheduler_schedule_attempts_total counter
	// scheduler_schedule_attempts_total{profile="default-scheduler",result="unschedulable"} 1
}

func ExampleEvent_LogValue() {
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	cluster := &executiontest.Recorder{}
	executor := must(execution.NewExecutor(execution.ExecutorConfig{Actions: cluster}))
	must(executor.CarryOut(context.Background(), planned(must(preemption.NewSnapshot(sample())))))
	for _, e := range cluster.Events() {
		log.Info("event", "event", e)
	}
	// Output:
	// level=INFO msg=event event.type=Normal event.reason=Preempted event.action=Preempting event.pod=default/batch event.related=default/urgent event.message="Preempted by pod default/urgent on node n1"
}

// One pod from its first attempt to its place: it pushes another out, waits for
// that one's end and is bound.
func Example_carryingOut() {
	var (
		ctx       = context.Background()
		snap      = must(preemption.NewSnapshot(sample()))
		eval      = must(preemption.New(preemption.Config{}))
		nominator execution.Nominator
		metrics   execution.Metrics
		cluster   executiontest.Recorder // in place of an API server and a queue
	)
	executor := must(execution.NewExecutor(execution.ExecutorConfig{
		Actions: &cluster, Nominator: &nominator, Metrics: &metrics,
	}))
	attempt := func(pod *outrank.Pod) *preemption.Plan {
		if err := nominator.ApplyTo(snap); err != nil {
			fmt.Println(err)
		}
		plan := must(eval.Preempt(ctx, snap, pod, now))
		if plan.Outcome == preemption.Fits {
			metrics.AddAttempt(execution.Attempt{Result: execution.ResultScheduled})
			nominator.Delete(pod)
			return plan
		}
		failure := execution.Failure{Pod: pod, Plan: plan}
		if plan.Outcome == preemption.Preempt {
			report, err := executor.CarryOut(ctx, plan)
			fmt.Println(report)
			failure.CarryErr = err
		}
		after := must(execution.HandleFailure(ctx, execution.FailureParts{
			Actions: &cluster, Queue: &cluster, Nominator: &nominator, Metrics: &metrics,
		}, failure))
		fmt.Println(after.Requeue, "-", after.Nomination, "-", after.Event.Message)
		return plan
	}

	plan := attempt(urgent())
	for _, v := range plan.Victims { // the victims end
		fmt.Println(snap.RemovePod(v.Pod.Key()))
		executor.Gone(v.Pod)
	}
	fmt.Println(attempt(urgent()).Outcome, nominator.Len())
	// Output:
	// default/urgent on n1: carried out; default/batch evicted; nominated
	// back to the queue - nominated to n1 - 0/2 nodes are available: 2 Insufficient cpu.
	// <nil>
	// fits 0
}
