package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

var now = time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)

// sample is two full nodes.
func sample() *outrank.Cluster {
	pod := func(name, node string, priority int32) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: node, Priority: outrank.Priority(priority), StartTime: now.Add(-time.Hour),
			Labels:     map[string]string{"app": name},
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
		}
	}
	node := func(name string) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "2", "pods", "110")}
	}
	return &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2")},
		Pods:  []*outrank.Pod{pod("web", "n1", 100), pod("batch", "n1", 10), pod("db", "n2", 500), pod("cache", "n2", 50)},
	}
}

func urgent() *outrank.Pod {
	return &outrank.Pod{
		Name: "urgent", Priority: outrank.Priority(1000),
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
	}
}

// must is for examples only.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func Example() {
	snap, err := engine.NewSnapshot(sample())
	if err != nil {
		fmt.Println(err)
		return
	}
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
	// Output: preempt n1 [default/batch]
}

func ExampleEvaluator_Preempt() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
	for _, v := range plan.Victims {
		fmt.Printf("%s leaves %s: with it there, %s\n", v, plan.Node, v.Blocks)
	}
	for _, c := range plan.TurnedDown {
		fmt.Println(c.Nodes, "nodes:", c.Status)
	}
	// Output:
	// default/batch leaves n1: with it there, NodeResourcesFit: Insufficient cpu
	// 2 nodes: NodeResourcesFit: Insufficient cpu
}

func ExampleEvaluator_Explain() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	ex := must(eval.Explain(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
	for _, c := range ex.Candidates {
		fmt.Println(c.Node, c.Victims, "top priority", c.Score.TopPriority)
	}
	fmt.Println("decided by:", ex.DecidedBy)
	// Output:
	// n1 [default/batch] top priority 10
	// n2 [default/cache] top priority 50
	// decided by: top-priority
}

// The best candidates one by one, without the victims of all others.
func ExampleEvaluator_Candidates() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	for c, err := range eval.Candidates(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}) {
		if err != nil {
			fmt.Println(err)
			break
		}
		if c.Node != "n1" { // the next best will do
			fmt.Println(c.Node, c.Victims)
			break
		}
	}
	// Output: n2 [default/cache]
}

// Why not n2?
func ExampleEvaluator_ExplainNode() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	report, err := eval.ExplainNode(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}, "n2")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Node, "as things are:", report.Status)
	if c := report.Candidate; c != nil {
		fmt.Println(c.Victims, "top priority", c.Score.TopPriority)
	}
	// Output:
	// n2 as things are: NodeResourcesFit: Insufficient cpu
	// [default/cache] top priority 50
}

// What if it happened, and then another such pod came?
func ExampleSnapshot_Undo() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	mark := snap.Mark()
	for i := range 3 {
		pod := urgent()
		pod.Name = fmt.Sprint("urgent-", i)
		plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: now}))
		fmt.Println(pod.Name, plan.Outcome, plan.Node, plan.Victims)
		if err := snap.Apply(plan); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(snap.Undo(mark), len(snap.PodsOn("n1")), len(snap.PodsOn("n2")))
	// Output:
	// urgent-0 preempt n1 [default/batch]
	// urgent-1 preempt n2 [default/cache]
	// urgent-2 preempt n1 [default/web]
	// <nil> 2 2
}

func ExampleSnapshot_Keep() {
	snap := must(engine.NewSnapshot(sample()))
	mark := snap.Mark()
	fmt.Println(snap.RemovePod("default/web"), snap.Keep(mark), snap.Undo(mark))
	// Output: <nil> <nil> mark no longer valid
}

func ExampleSnapshot_Clone() {
	snap := must(engine.NewSnapshot(sample()))
	future := snap.Clone()
	err := future.RemovePod("default/web")
	fmt.Println(err, len(future.PodsOn("n1")), len(snap.PodsOn("n1")))
	// Output: <nil> 1 2
}

func ExampleSnapshot_Bind() {
	snap := must(engine.NewSnapshot(sample()))
	pod := urgent()
	must(snap.PutPod(pod))
	fmt.Println(snap.Bind(pod.Key(), "n2"), snap.NodeOf(pod.Key()), snap.Used("n2", "cpu"))
	// The binding failed in the end.
	fmt.Println(snap.Bind(pod.Key(), ""), snap.NodeOf(pod.Key()) == "", snap.Used("n2", "cpu"))
	// Output:
	// <nil> n2 3000
	// <nil> true 2000
}

func ExampleSnapshot_Apply() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
	fmt.Println(snap.Apply(plan), len(snap.PodsOn("n1")), snap.NominationOf("default/urgent"))
	// Output: <nil> 1 n1
}

// The loop of a simulator without scores: what fits, and what room is made for, runs.
func ExampleSnapshot_Apply_andBind() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	fmt.Println(snap.RemovePod("default/cache"))
	for i := range 3 {
		pod := urgent()
		pod.Name = fmt.Sprint("urgent-", i)
		plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: now}))
		fmt.Println(plan.Outcome, snap.Apply(plan), snap.Bind(pod.Key(), snap.NominationOf(pod.Key())), snap.NodeOf(pod.Key()))
	}
	// Output:
	// <nil>
	// fits <nil> <nil> n2
	// preempt <nil> <nil> n1
	// preempt <nil> <nil> n1
}

func ExampleConfig_nodeFilter() {
	rule := &preemption.Filter{Name: "Maintenance", Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
		if n.Name == "n1" {
			return preemption.UnschedulableAndUnresolvable.Because("node(s) under maintenance")
		}
		return preemption.Status{}
	}}
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{Filters: []*preemption.Filter{rule}}))
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
	fmt.Println(plan.Node, plan.Victims)
	// Output: n2 [default/cache]
}

// An error names everything that is wrong with the input.
func ExampleNewSnapshot() {
	_, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1"}, {Name: "n1"}},
		Pods:  []*outrank.Pod{{Name: "web", Overhead: resource.MustList("cpu", "-1")}},
	})
	fmt.Println(err)
	// Output:
	// node n1: metadata.name: there are two of this name
	// pod default/web: spec.overhead.cpu: -1 is negative
}

func ExampleSnapshot_PutPod_changed() {
	snap := must(engine.NewSnapshot(sample()))
	old, _ := snap.Pod("default/web")
	newer := *old
	newer.Priority = outrank.Priority(7)
	replaced := must(snap.PutPod(&newer))
	fmt.Println(replaced.PriorityValue(), snap.NodeOf("default/web"), snap.PodsOn("n1")[1].Key())
	// Output: 100 n1 default/web
}
