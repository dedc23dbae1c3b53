package joint_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/resource"
)

// tainted is a cluster in which the pod of a Deployment could run on n3, and the pod of a
// DaemonSet nowhere else.
func tainted() *engine.Snapshot {
	full := resource.MustList("cpu", "1", "pods", "10")
	asks := []outrank.Container{{Requests: resource.MustList("cpu", "1")}}
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: full}, {Name: "n2", Allocatable: full}, {Name: "n3", Allocatable: full, Taints: []outrank.Taint{{Key: "gpu", Effect: outrank.NoSchedule}}}},
		Pods: []*outrank.Pod{
			{Name: "agent", NodeName: "n1", Priority: outrank.Priority(1), Containers: asks, Owner: outrank.Owner{Kind: "DaemonSet", Name: "agent"}},
			{Name: "web", NodeName: "n2", Priority: outrank.Priority(1), Containers: asks, Owner: outrank.Owner{Kind: "ReplicaSet", Name: "web"}, Tolerations: []outrank.Toleration{{Key: "gpu", Operator: outrank.TolerationExists}}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	return snap
}

func ExampleMoves() {
	snap := tainted()
	plain, err := engine.New(preemption.Config{})
	if err != nil {
		log.Fatal(err)
	}
	moves, err := joint.NewMoves(plain, snap)
	if err != nil {
		log.Fatal(err)
	}
	for p := range snap.Pods() {
		fmt.Println(p.Name, "is", moves.Of(p))
	}
	eval, err := engine.New(preemption.Config{
		Ranks: append([]preemption.Rank{{Name: "moves", Cost: moves.Cost(joint.LossCosts{Moved: 1, Waits: 20, Lost: 100})}}, preemption.DefaultRanks()...),
	})
	if err != nil {
		log.Fatal(err)
	}
	urgent := &outrank.Pod{Name: "urgent", Priority: outrank.Priority(9), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
	plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent, Now: time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Node, plan.Victims, "for", plan.Score.Own["moves"], moves.Err())
	together, err := moves.Together(urgent, &plan.Candidate)
	fmt.Println(together, err)
	// Output:
	// agent is lost
	// web is moved
	// n2 [default/web] for 1 <nil>
	// [moved] <nil>
}

func ExampleLossCosts_Of() {
	costs := joint.LossCosts{Moved: 1, Waits: 20, Lost: 100}
	fmt.Println(costs.Of(joint.Moved), costs.Of(joint.Waits), costs.Of(joint.Lost))
	// Output:
	// 1 20 100
}
