package engine_test

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// eightCores is a node with an old pod of four cores and four small ones.
func eightCores() (*engine.Snapshot, *outrank.Pod) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "8", "a")}}
	for i, cpu := range []string{"4", "1", "1", "1", "1"} {
		c.Pods = append(c.Pods, pod(fmt.Sprint("p", i), 1, cpu, on("n1"), startedAgo(time.Duration(9-i)*time.Hour)))
	}
	snap, _ := engine.NewSnapshot(c)
	return snap, pod("urgent", 10, "4")
}

func ExampleExact() {
	snap, urgent := eightCores()
	usual, _ := engine.New(preemption.Config{})
	plan, _ := usual.Preempt(context.Background(), snap, preemption.Request{Pod: urgent, Now: time.Now()})
	fmt.Println(plan.Victims)

	exact, _ := engine.New(preemption.Config{Victims: preemption.Exact{}})
	plan, _ = exact.Preempt(context.Background(), snap, preemption.Request{Pod: urgent, Now: time.Now()})
	fmt.Println(plan.Victims, plan.ClusterCertificate.Optimal)
	// Output:
	// [default/p1 default/p2 default/p3 default/p4]
	// [default/p0] true
}

func ExampleCertificate() {
	snap, urgent := eightCores()
	eval, _ := engine.New(preemption.Config{Victims: preemption.Exact{}})
	plan, _ := eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent, Now: time.Now()})
	c := plan.Certificate
	fmt.Println(c.Optimal, reflect.DeepEqual(c.Bound, plan.Score), c.Gap, c.Steps)
	// Output:
	// true true 0 2
}

func ExampleBudgets() {
	snap, _ := engine.NewSnapshot(&outrank.Cluster{
		Nodes:   []*outrank.Node{node("n1", "1", "a")},
		Pods:    []*outrank.Pod{pod("web", 1, "1", on("n1"), app("web"))},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "web", Selector: selects("web")}},
	})
	eval, _ := engine.New(preemption.Config{Budgets: preemption.NeverViolate})
	plan, _ := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod("urgent", 10, "1"), Now: time.Now()})
	fmt.Println(plan)
	// Output:
	// default/urgent: nothing helps
	//   as things are: 1 NodeResourcesFit: Insufficient cpu
	//   after removal: 1 making room would violate a disruption budget
}
