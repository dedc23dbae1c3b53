package queue_test

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// A gang is popped with all its pods. One of them finds no place, so that the gang comes
// back with it alone.
func ExampleQueue_AddAttemptedGroup() {
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	if err != nil {
		panic(err)
	}
	q, err := queue.New(queue.Config{Release: release})
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"worker-1", "worker-2", "worker-3"} {
		if err := q.Add(&outrank.Pod{Name: name, Group: "training"}, midnight); err != nil {
			panic(err)
		}
	}
	fmt.Println(q.Counts())
	q.PutGroup(&outrank.PodGroup{Name: "training", Policy: outrank.GangPolicy, MinCount: 2})

	e, _ := q.TryPop(midnight)
	fmt.Println(e.Group.Key(), "with", len(e.Group.Members))
	for _, member := range e.Group.Members {
		if member.Pod.Name != "worker-3" { // it has a node now
			q.Done(member)
			continue
		}
		member.FailedFilters = []string{"NodeResourcesFit"}
		if err := q.AddUnschedulableIfNotPresent(member, midnight); err != nil {
			panic(err)
		}
	}
	if err := q.AddAttemptedGroup(e, midnight); err != nil {
		panic(err)
	}
	e, _ = q.TryPop(midnight)
	fmt.Println(e.Group.Key(), "with", e.Group.Members[0].Pod.Name)
	// Output:
	// 0 active, 0 in backoff, 0 unschedulable, 0 gated, 0 in flight, 3 incomplete, 0 waiting for their group
	// default/training with 3
	// default/training with worker-3
}

// A tree of groups is one entry of the queue.
func ExampleQueue_PutComposite() {
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true, "CompositePodGroup": true})
	if err != nil {
		panic(err)
	}
	q, err := queue.New(queue.Config{Release: release})
	if err != nil {
		panic(err)
	}
	q.PutComposite(&outrank.CompositePodGroup{Name: "service", Priority: outrank.Priority(7)})
	for _, name := range []string{"front", "back"} {
		q.PutGroup(&outrank.PodGroup{Name: name, Parent: "service"})
		if err := q.Add(&outrank.Pod{Name: name + "-1", Group: name}, midnight); err != nil {
			panic(err)
		}
	}
	for _, e := range q.Pending().Active {
		fmt.Println(e.Group.Key(), "of priority", e.Group.Priority(), "with", len(e.Group.Members), "pods")
	}
	alone, groups := q.Entities()
	fmt.Printf("%d groups, %d pods by themselves\n", groups.Active, alone.Active)
	// Output:
	// default/service of priority 7 with 2 pods
	// 1 groups, 0 pods by themselves
}
