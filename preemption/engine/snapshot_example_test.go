package engine_test

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// A cordoned node keeps its pods and takes no more of them.
func ExampleSnapshot_PutNode_cordoned() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	old, _ := snap.Node("n1")
	cordoned := *old
	cordoned.Unschedulable = true
	fmt.Println(snap.PutNode(&cordoned), len(snap.PodsOn("n1")))
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
	fmt.Println(plan.Outcome, plan.Node)
	// Output:
	// <nil> 2
	// preempt n2
}

// Room on a node is kept for the pods that are nominated to it.
func ExampleSnapshot_Nominate() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	waiting := urgent()
	waiting.Name = "waiting"
	must(snap.PutPod(waiting))
	fmt.Println(snap.Nominate("default/waiting", "n1"), len(snap.NominatedTo("n1")))
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
	fmt.Println(plan.Node, plan.Victims)
	// Output:
	// <nil> 1
	// n2 [default/cache]
}

// Room is kept for nominated pods wherever they wait.
func ExampleSnapshot_Nominated() {
	snap := must(engine.NewSnapshot(sample()))
	waiting := urgent()
	waiting.Name = "waiting"
	must(snap.PutPod(waiting))
	fmt.Println(snap.Nominate("default/waiting", "n2"))
	for p, node := range snap.Nominated() {
		fmt.Println(p.Key(), "waits for", node)
	}
	// Output:
	// <nil>
	// default/waiting waits for n2
}

// The pods of a group whose mode is PodGroup leave together.
func ExampleSnapshot_LeavesWith() {
	release := must(outrank.V1_37.With(map[string]bool{"GenericWorkload": true}))
	batch := &outrank.PodGroup{Name: "batch", DisruptionMode: outrank.DisruptPodGroup}
	p, q := &outrank.Pod{Name: "p", NodeName: "n1", Group: "batch"}, &outrank.Pod{Name: "q", NodeName: "n1"}
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Release: release, Nodes: []*outrank.Node{{Name: "n1"}}, Pods: []*outrank.Pod{p, q}, Groups: []*outrank.PodGroup{batch},
	}))
	group, _ := snap.LeavesWith(p)
	fmt.Println(group.Key())
	group, composite := snap.LeavesWith(q)
	fmt.Println(group == nil, composite == nil)
	// Output:
	// default/batch
	// true true
}

// What is kept beside a snapshot is brought in line at the cost of what has changed.
func ExampleSnapshot_Follow() {
	snap := must(engine.NewSnapshot(sample()))
	var me struct{ seen int }
	look := func() error {
		return snap.Follow(&me, func(c engine.Changes) (uint64, error) {
			fmt.Println("all:", c.All, "pods:", len(c.Pods), "nodes:", c.Nodes)
			return c.Point + 1, nil
		})
	}
	fmt.Println(look())
	before := snap.Revision()
	must(snap.PutPod(urgent()))
	fmt.Println(snap.RemoveNode("n2"), snap.Revision() > before)
	fmt.Println(look())
	// Output:
	// all: true pods: 0 nodes: []
	// <nil>
	// <nil> true
	// all: false pods: 1 nodes: [n2]
	// <nil>
}

// A scratch can be changed while others read the snapshot.
func ExampleSnapshot_Scratch() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	scratch := snap.Scratch()
	fmt.Println(scratch.RemovePod("default/cache"), len(scratch.PodsOn("n2")), len(snap.PodsOn("n2")))
	fmt.Println(must(eval.Preempt(context.Background(), scratch, preemption.Request{Pod: urgent(), Now: now})).Outcome)
	fmt.Println(must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now})).Outcome)
	// Output:
	// <nil> 1 2
	// fits
	// preempt
}

// A budget turns the choice to the other node.
func ExampleSnapshot_Budgets() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	budget := &outrank.PodDisruptionBudget{Name: "batch", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "batch"}}}
	fmt.Println(snap.PutBudget(budget))
	for b := range snap.Budgets() {
		fmt.Println(b.Key())
	}
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
	fmt.Println(plan.Node, plan.Victims, plan.Score.Violations)
	// Output:
	// <nil>
	// default/batch
	// n2 [default/cache] 0
}

// What another scheduler found about the nodes stands: n1 is out of the
// question.
func ExampleEvaluator_Explain_request() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	statuses := func(_ int, node *outrank.Node) (status preemption.Status, asked bool) {
		if node.Name == "n1" {
			return preemption.UnschedulableAndUnresolvable.Because("node(s) under maintenance"), true
		}
		return preemption.Unschedulable.Because("Insufficient cpu"), true
	}
	ex := must(eval.Explain(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now, Statuses: statuses}))
	for _, n := range ex.Nodes {
		fmt.Println(n.Node, n.AfterRemoval != nil, n.Status.Reasons)
	}
	fmt.Println(ex.Node, ex.Victims)
	// Output:
	// n1 false [node(s) under maintenance]
	// n2 true [Insufficient cpu]
	// n2 [default/cache]
}

func ExampleDefaultRanks() {
	for i, rank := range preemption.DefaultRanks() {
		fmt.Println(i+1, rank.Name)
	}
	// Output:
	// 1 budget-violations
	// 2 top-priority
	// 3 priority-sum
	// 4 victim-count
	// 5 start-time
}
