package engine_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// zoneOfBatch is a zone of two nodes: one has room, and on the other, which is cordoned,
// runs the batch that a database keeps away from.
func zoneOfBatch() (*engine.Snapshot, *outrank.Pod) {
	zone := map[string]string{"zone": "a"}
	asks := []outrank.Container{{Requests: resource.MustList("cpu", "1")}}
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{
			{Name: "n1", Labels: zone, Allocatable: resource.MustList("cpu", "4", "pods", "10")},
			{Name: "n2", Labels: zone, Allocatable: resource.MustList("cpu", "4", "pods", "10"), Unschedulable: true},
		},
		Pods: []*outrank.Pod{
			{Name: "batch-1", NodeName: "n2", Priority: outrank.Priority(1), Labels: map[string]string{"app": "batch"}, Containers: asks},
			{Name: "batch-2", NodeName: "n2", Priority: outrank.Priority(2), Labels: map[string]string{"app": "batch"}, Containers: asks},
			{Name: "web", NodeName: "n2", Priority: outrank.Priority(1), Labels: map[string]string{"app": "web"}, Containers: asks},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	db := &outrank.Pod{Name: "db", Priority: outrank.Priority(100), Containers: asks}
	db.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "batch"}}}}
	return snap, db
}

func ExampleAcross() {
	snap, db := zoneOfBatch()
	usual, err := engine.New(preemption.Config{})
	if err != nil {
		log.Fatal(err)
	}
	across, err := engine.New(preemption.Config{Victims: preemption.Across{}})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	near, err := usual.Preempt(context.Background(), snap, preemption.Request{Pod: db, Now: now})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("on one node:", near.Outcome)
	plan, err := across.Preempt(context.Background(), snap, preemption.Request{Pod: db, Now: now})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("across:", plan.Outcome, plan.Node, plan.Victims, plan.ClusterCertificate.Optimal)
	fmt.Println(across.Verify(context.Background(), snap, plan))
	// Output:
	// on one node: nothing-helps
	// across: preempt n1 [default/batch-2 on n2 default/batch-1 on n2] true
	// <nil>
}
