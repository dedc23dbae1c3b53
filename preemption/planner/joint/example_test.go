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

func pod(name, node string, priority int32, cpu string) *outrank.Pod {
	return &outrank.Pod{Name: name, NodeName: node, Priority: outrank.Priority(priority),
		Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", cpu)}}}
}

// shared is a cluster in which one large victim makes room for two pods, and an equally
// important small one, on another node, for one.
func shared() (*engine.Snapshot, *engine.Evaluator, []*outrank.Pod) {
	four := resource.MustList("cpu", "4", "pods", "10")
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: four}, {Name: "n2", Allocatable: four}},
		Pods: []*outrank.Pod{
			pod("small", "n1", 10, "2"), pod("agent", "n1", 2000, "2"),
			pod("large", "n2", 10, "4"),
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		log.Fatal(err)
	}
	return snap, eval, []*outrank.Pod{pod("web-1", "", 1000, "2"), pod("web-2", "", 1000, "2")}
}

// One by one, the first pod evicts the small victim, because the nodes are equally good for
// it; the second has to evict the large one. Together they share the room of the large one.
func ExamplePreempt() {
	snap, eval, waiting := shared()
	plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: waiting, Now: time.Now()})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan)
	for _, v := range plan.Victims {
		fmt.Println(v)
	}
	// Output:
	// default/web-1 on n2 in place of default/large
	// default/web-2 on n2
	// together: 1 victim up to priority 10; one by one: 2 victims up to priority 10; better by: lower sum of victim priorities; optimal, 21 steps
	// default/large for default/web-1, default/web-2
}

func ExamplePlan_Apply() {
	snap, eval, waiting := shared()
	plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: waiting, Now: time.Now()})
	if err != nil {
		log.Fatal(err)
	}
	if err := plan.Apply(snap); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(snap.PodsOn("n2")), "pods run on n2, and", len(snap.NominatedTo("n2")), "are nominated to it")
	// Output:
	// 0 pods run on n2, and 2 are nominated to it
}

// unlike is a cluster in which a pod without a controller is in the way on n1, and two pods of a ReplicaSet,
// of higher priority, on n2. n3 and n4 have room for these.
func unlike() (*engine.Snapshot, *engine.Evaluator, *outrank.Pod) {
	four := resource.MustList("cpu", "4", "pods", "10")
	web := outrank.Owner{Kind: "ReplicaSet", Name: "web"}
	one, two := pod("web-1", "n2", 20, "2"), pod("web-2", "n2", 20, "2")
	one.Owner, two.Owner = web, web
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: four}, {Name: "n2", Allocatable: four}, {Name: "n3", Allocatable: four}, {Name: "n4", Allocatable: four}},
		Pods:  []*outrank.Pod{pod("shell", "n1", 10, "4"), one, two, pod("agent-1", "n3", 2000, "2"), pod("agent-2", "n4", 2000, "2")},
	})
	if err != nil {
		log.Fatal(err)
	}
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		log.Fatal(err)
	}
	return snap, eval, pod("urgent", "", 1000, "4")
}

// With Moves a plan goes by what becomes of the victims: nobody is lost, and two pods move.
func ExamplePreempt_moves() {
	snap, eval, urgent := unlike()
	plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: []*outrank.Pod{urgent}, Now: time.Now(), Moves: &joint.LossCosts{Moved: 1, Waits: 20, Lost: 100}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Placements[0])
	for _, v := range plan.Victims {
		fmt.Println(v)
	}
	fmt.Println(plan.Total.Own["moves"], "in place of", plan.OneByOne.Own["moves"])
	// Output:
	// default/urgent on n2 in place of default/web-1, default/web-2
	// default/web-1 for default/urgent; moves to n3
	// default/web-2 for default/urgent; moves to n4
	// 2 in place of 100
}

func ExampleOutlooks() {
	snap, eval, urgent := unlike()
	outlooks, all, err := joint.Outlooks(context.Background(), eval, snap, joint.Request{Pods: []*outrank.Pod{urgent}, Now: time.Now()})
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range outlooks {
		fmt.Println(o.Candidate.Node, o.Fates)
	}
	fmt.Println("all:", all)
	// Output:
	// n2 [moves to n3 moves to n4]
	// n1 [lost: no controller makes it again]
	// all: true
}
