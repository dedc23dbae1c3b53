package explain_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// small is a cluster with a full node and a tainted one.
func small() (*engine.Snapshot, *engine.Evaluator) {
	four := resource.MustList("cpu", "4", "pods", "10")
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{
			{Name: "n1", Allocatable: four},
			{Name: "n2", Allocatable: four, Taints: []outrank.Taint{{Key: "gpu", Effect: outrank.NoSchedule}}},
		},
		Pods: []*outrank.Pod{
			{Name: "batch", NodeName: "n1", Priority: outrank.Priority(10), Containers: asking("cpu", "3")},
			{Name: "agent", NodeName: "n1", Priority: outrank.Priority(5), Containers: asking("cpu", "500m")},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	e, err := engine.New(preemption.Config{})
	if err != nil {
		log.Fatal(err)
	}
	return snap, e
}

func ExampleAsk() {
	snap, e := small()
	pod := &outrank.Pod{Name: "web", Priority: outrank.Priority(100), Containers: asking("cpu", "2")}
	r, err := explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Pod: pod, Now: time.Now()}}, explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(r.Text())
	// Output:
	// 1 pod has to leave node n1 so that default/web (priority 100) can run there.
	// Why node n1:
	//   It is the only node on which pushing pods out makes room.
	// Why each victim, the most important first:
	//   default/batch (priority 10): if it stayed, cpu is short by 1500m: 2 needed, 500m free of 4.
	// Who stays on the node:
	//   default/agent (priority 5) is spared: the pod fits beside it, though it is less important than every victim; it takes cpu 500m.
	//   Room left once the pod is there: cpu 1500m.
	// What became of the nodes:
	//   1 node (n1) chosen; as things are, cpu is short by 1500m: 2 needed, 500m free of 4
	//   1 node (n2) out: taint gpu:NoSchedule
}

func ExampleAsk_explained() {
	snap, e := small()
	req := preemption.Request{Pod: &outrank.Pod{Name: "web", Priority: outrank.Priority(7), Containers: asking("cpu", "2")}}
	ex, err := e.Explain(context.Background(), snap, req)
	if err != nil {
		log.Fatal(err)
	}
	r, err := explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: req, Plan: ex}, explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Summary())
	for _, text := range r.Nothing.Texts() {
		fmt.Println(text)
	}
	// Output:
	// Nobody leaves: on no node would pushing others out make room for default/web (priority 7).
	// Of the nodes that lack room the nearest is node n1 without 1 pod: cpu is short by 1: 2 needed, 1 free of 4.
	// Priority 11 would be enough, and 10 is not: on node n1 it would push out default/batch (priority 10).
}

func ExampleRankText() {
	plan := preemption.Plan{DecidedBy: preemption.ByVictims.Name} // one that Explain has made
	fmt.Println("chosen for", explain.RankText(plan.DecidedBy))
	// Output: chosen for fewer victims
}

func ExampleAsk_plan() {
	snap, e := small()
	pod := &outrank.Pod{Name: "web", Priority: outrank.Priority(100), Containers: asking("cpu", "2")}
	plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: time.Now()})
	if err != nil {
		log.Fatal(err)
	}
	r, err := explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Now: time.Now()}, Plan: plan}, explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	short := r.Victims.Items[0].Blocks.Short[0]
	fmt.Println(r.Victims.Items[0].Text())
	fmt.Printf("%s: %s needed, %s free\n", short.Resource, short.Needed, short.Free)
	fmt.Println(r.Choice.Texts(), r.Stay.Texts()[1], r.Nodes[1].Names.Len(), r.Nodes[1].Text(), r.Nodes[1].Before.Text())
	// Output:
	// default/batch (priority 10): if it stayed, cpu is short by 1500m: 2 needed, 500m free of 4.
	// cpu: 2 needed, 500m free
	// [It is the only node on which pushing pods out makes room.] Room left once the pod is there: cpu 1500m. 1 1 node (n2) out: taint gpu:NoSchedule taint gpu:NoSchedule
}
